import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FabricLogEntry } from "./entries.js";
import { logToFile } from "./log-file.js";

describe("logToFile", () => {
  const folder = mkdtempSync(join(tmpdir(), "event-log-"));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it("keeps a bounded backlog for a slow disk and tells in place how many entries are missing", async () => {
    const file = join(folder, "log");
    const warnings: object[] = [];
    let emit: (entry: FabricLogEntry) => void = () => undefined;
    const log = {
      listen: (listener: (entry: FabricLogEntry) => void) => {
        emit = listener;
        return () => undefined;
      },
      flush: () => undefined,
    };
    const warn = (facts: object): void => {
      warnings.push(facts);
    };
    const end = logToFile(log, file, { info: () => undefined, warn }, 100);
    const entry = (seq: number): FabricLogEntry => ({ seq, atMs: 0, type: "link", end: "H1[1]", isUp: true });
    // Nothing is written before this turn ends: two entries of 58 bytes fill the backlog.
    for (let seq = 1; seq <= 10; seq += 1) emit(entry(seq));
    await end();
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([entry(1), entry(2), { type: "lost", count: 8 }]);
    expect(warnings).toEqual([{ file, lost: 8 }]);
  });
});

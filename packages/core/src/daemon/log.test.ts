import fs from "node:fs";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { coreError } from "../errors.js";
import { DaemonLog } from "./log.js";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbena-log-"));
  file = join(folder, "acm.log");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function lines(path = file): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function speak(log: DaemonLog): void {
  log.logger.debug("d");
  log.logger.info("i");
  log.notice("n");
  log.logger.warn("w");
  log.logger.error("e");
}

describe("DaemonLog", () => {
  it.each([
    [0, ["n", "w", "e"]],
    [1, ["i", "n", "w", "e"]],
    [2, ["d", "i", "n", "w", "e"]],
  ] as const)("shows at level %d the lines %j", async (level, expected) => {
    using log = new DaemonLog({ file, level });
    speak(log);
    expect((await lines()).map(({ msg }) => msg)).toEqual(expected);
  });

  it("empties the file at start", async () => {
    await writeFile(file, "old lines\n");
    using log = new DaemonLog({ file, level: 0 });
    log.notice("new");
    expect((await lines()).map(({ msg }) => msg)).toEqual(["new"]);
  });

  it("writes structured lines with labels, and errors with code and hint", async () => {
    using log = new DaemonLog({ file, level: 0 });
    log.logger
      .child({ provider: "sa" })
      .error("failed", { error: coreError("VERBENA_DAEMON_LOCKED", { details: { file: "x" } }) });
    expect(await lines()).toEqual([
      expect.objectContaining({
        level: "error",
        pid: process.pid,
        provider: "sa",
        msg: "failed",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
        error: expect.objectContaining({
          code: "VERBENA_DAEMON_LOCKED",
          hint: expect.any(String) as string,
        }) as unknown,
      }),
    ]);
  });

  it("goes on in a new file after rotation, keeping what is there", async () => {
    using log = new DaemonLog({ file, level: 0 });
    log.notice("one");
    await rename(file, `${file}.1`);
    log.reopen({ file, level: 1 });
    log.logger.info("two");
    log.reopen({ file, level: 1 });
    log.logger.info("three");
    expect((await lines(`${file}.1`)).map(({ msg }) => msg)).toEqual(["one"]);
    expect((await lines()).map(({ msg }) => msg)).toEqual(["two", "three"]);
  });

  it("falls back to standard output and says so", () => {
    const written: string[] = [];
    const spy = jest.spyOn(fs, "writeSync").mockImplementation((fd: number, text: string) => {
      written.push(`${String(fd)} ${text}`);
      return text.length;
    });
    try {
      using log = new DaemonLog({ file: join(folder, "no", "such", "folder"), level: 0 });
      log.notice("here");
    } finally {
      spy.mockRestore();
    }
    expect(written).toEqual([
      expect.stringMatching(/^1 .*log file cannot be opened/),
      expect.stringMatching(/^1 .*"msg":"here"/),
    ]);
  });

  it("survives lines after it is closed", () => {
    const log = new DaemonLog({ file, level: 0 });
    log[Symbol.dispose]();
    log[Symbol.dispose]();
    expect(() => {
      log.logger.debug("late");
    }).not.toThrow();
  });
});

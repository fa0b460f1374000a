import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { constants, openSync } from "node:fs";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { coreError } from "../errors.js";
import { type LogOutlet, openOutlet } from "../log/outlet.js";
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
    await log.flushed();
    expect((await lines()).map(({ msg }) => msg)).toEqual(expected);
  });

  it("empties the file at start", async () => {
    await writeFile(file, "old lines\n");
    using log = new DaemonLog({ file, level: 0 });
    log.notice("new");
    await log.flushed();
    expect((await lines()).map(({ msg }) => msg)).toEqual(["new"]);
  });

  it("writes structured lines with labels, and errors with code and hint", async () => {
    using log = new DaemonLog({ file, level: 0 });
    log.logger
      .child({ provider: "sa" })
      .error("failed", { error: coreError("VERBENA_DAEMON_LOCKED", { details: { file: "x" } }) });
    await log.flushed();
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

  it("writes the stack of an error that nobody foresaw, or of what is beneath one with a code, and no other", async () => {
    using log = new DaemonLog({ file, level: 0 });
    const coded = (cause?: Error) => coreError("VERBENA_CONTROL_INTERNAL", { details: { reason: "x" }, cause });
    for (const error of [coded(), coded(new TypeError("bug")), new TypeError("bug")]) log.logger.error("e", { error });
    await log.flushed();
    const stacks = (await lines()).map(({ error }) => (error as { stack?: string }).stack);
    expect(stacks).toEqual([undefined, expect.stringContaining("TypeError: bug"), expect.stringContaining("at ")]);
  });

  it("goes on in a new file after rotation, keeping what is there", async () => {
    using log = new DaemonLog({ file, level: 0 });
    log.notice("one");
    await log.flushed();
    await rename(file, `${file}.1`);
    log.reopen({ file, level: 1 });
    log.logger.info("two");
    log.reopen({ file, level: 1 });
    log.logger.info("three");
    await log.flushed();
    expect((await lines(`${file}.1`)).map(({ msg }) => msg)).toEqual(["one"]);
    expect((await lines()).map(({ msg }) => msg)).toEqual(["two", "three"]);
  });

  it("falls back to standard output and says so", async () => {
    const written: string[] = [];
    const outlet: LogOutlet = {
      write: (bytes, done) => {
        written.push(...bytes.toString().trimEnd().split("\n"));
        done(null, bytes.length);
      },
      close: () => undefined,
      abandon: () => undefined,
    };
    using log = new DaemonLog({ file: join(folder, "no", "such", "folder"), level: 0 }, (path, isNew) => {
      const opened = openOutlet(path, isNew);
      opened.outlet.close();
      return { ...opened, outlet };
    });
    log.notice("here");
    await log.flushed();
    expect(written).toEqual([
      expect.stringMatching(/log file cannot be opened, lines go to standard output.*ENOENT|ENOENT.*log file/),
      expect.stringMatching(/"msg":"here"/),
    ]);
  });

  it("shows what a terminal would act on, and stays JSON", async () => {
    using log = new DaemonLog({ file, level: 0 });
    log.logger.warn("a\u009b2J\u202e", { name: "\u001b]0;x\u0007" });
    await log.flushed();
    expect(await readFile(file, "utf8")).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
    expect(await lines()).toMatchObject([{ msg: "a\u009b2J\u202e", name: "\u001b]0;x\u0007" }]);
  });

  it("takes a FIFO that somebody reads, and not one that nobody does", async () => {
    execFileSync("mkfifo", [file]);
    const { problem, outlet } = openOutlet(file, true);
    outlet.close();
    expect(problem).toMatch(/ENXIO/);
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const reader = new Socket({ fd, readable: true, writable: false }).setEncoding("utf8");
    const log = new DaemonLog({ file, level: 0 });
    log.notice("through");
    const [text] = (await once(reader, "data")) as [string];
    expect(text).toContain('"msg":"through"');
    await log.flushed();
    log[Symbol.dispose]();
    await once(reader, "close");
  });

  it("keeps at most two files that do not take their lines, and gives both up in the end", () => {
    const abandoned: number[] = [];
    let opened = 0;
    const log = new DaemonLog({ file, level: 0 }, () => {
      const number = opened++;
      return { outlet: { write: () => undefined, close: () => undefined, abandon: () => abandoned.push(number) } };
    });
    for (let count = 0; count < 3; count += 1) {
      log.notice("stuck");
      log.reopen({ file, level: 0 });
    }
    expect([opened, abandoned]).toEqual([4, [0, 1]]);
    log.notice("stuck");
    log[Symbol.dispose]();
    log.abandon();
    expect(abandoned).toEqual([0, 1, 2, 3]);
  });

  it("opens standard error once, also at a reload", () => {
    let opened = 0;
    using log = new DaemonLog({ file: "stderr", level: 0 }, () => {
      opened += 1;
      return {
        outlet: {
          write: (bytes, done) => {
            done(null, bytes.length);
          },
          close: () => undefined,
          abandon: () => undefined,
        },
      };
    });
    log.reopen({ file: "stderr", level: 1 });
    expect(opened).toBe(1);
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

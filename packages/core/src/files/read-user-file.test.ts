import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readUserFile } from "./read-user-file.js";
import { unlessAborted } from "./unless-aborted.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbena-files-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const at = (name: string): string => join(folder, name);
const read = (file: string, maxBytes = 1_000_000): Promise<string> => readUserFile(file, { maxBytes });

describe("readUserFile", () => {
  it("refuses a FIFO that nobody writes to, without waiting for a writer", async () => {
    execFileSync("mkfifo", [at("fifo")]);
    await symlink(at("fifo"), at("link"));
    for (const file of [at("fifo"), at("link")]) {
      await expect(read(file)).rejects.toMatchObject({
        code: "VERBENA_FILE_KIND",
        message: `${file} is a FIFO, not a regular file`,
        hint: expect.stringContaining("regular file") as string,
      });
    }
  });

  it("takes /dev/null for an empty file", async () => {
    expect(await read("/dev/null")).toBe("");
  });

  it("refuses a folder, a socket and a device without end", async () => {
    await mkdir(at("folder"));
    await expect(read(at("folder"))).rejects.toMatchObject({ details: { kind: "a folder" } });
    await expect(read("/dev/zero")).rejects.toMatchObject({ details: { kind: "a device" } });
    const server = createServer().listen(at("socket"));
    try {
      await expect(read(at("socket"))).rejects.toMatchObject({ details: { kind: "a socket" } });
    } finally {
      server.close();
    }
  });

  it("takes a file of exactly the limit and refuses one byte more", async () => {
    const text = "x".repeat(600_000);
    await writeFile(at("big"), text);
    expect(await read(at("big"), 600_000)).toBe(text);
    await expect(read(at("big"), 599_999)).rejects.toMatchObject({
      code: "VERBENA_FILE_SIZE",
      details: { file: at("big"), limit: 599_999 },
    });
  });

  it("counts what it reads where the system tells no size", async () => {
    expect(await read("/proc/self/status")).toMatch(/^Name:/);
    await expect(read("/proc/self/status", 10)).rejects.toMatchObject({ code: "VERBENA_FILE_SIZE" });
  });

  it("keeps characters whole that lie across the pieces it reads", async () => {
    const text = `x${"ß".repeat(200_000)}`;
    await writeFile(at("umlauts"), text);
    expect(await read(at("umlauts"))).toBe(text);
  });

  it("gives the system's error for a file that is not there", async () => {
    await expect(read(at("none"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("ends with the signal's reason, before and while it reads", async () => {
    await writeFile(at("some"), "text");
    const reason = new Error("stop");
    await expect(readUserFile(at("some"), { maxBytes: 9, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const ending = new AbortController();
    const reading = readUserFile(at("some"), { maxBytes: 9, signal: ending.signal });
    ending.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });
});

describe("unlessAborted", () => {
  it("does not wait for work that never ends, and discards what comes too late", async () => {
    const reason = new Error("stop");
    const ending = new AbortController();
    let answer: (value: string) => void = () => undefined;
    const work = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const late: string[] = [];
    const waiting = unlessAborted(work, ending.signal, (value) => late.push(value));
    ending.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    answer("late");
    await work;
    expect(late).toEqual(["late"]);
  });

  it("gives what the work gives, and its error", async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7);
    await expect(unlessAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
    expect(await unlessAborted(Promise.resolve(8), undefined)).toBe(8);
  });
});

import { readFileSync } from "node:fs";
import { ClientBook, procCommand } from "./client-book.js";
import type { ClientIdentity } from "./contract.js";

const unix = (pid: number, id = pid): ClientIdentity => ({ id, kind: "unix", pid, uid: 1000 });
const names = (pid: number): Promise<string | undefined> => Promise.resolve(pid === 1 ? "mpirun" : undefined);

describe("ClientBook", () => {
  it("counts per process, whatever its connections, and names its command where it can be known", async () => {
    const book = new ClientBook(names);
    book.hit(unix(1, 5), 10);
    book.request(unix(1, 6), "r1", 20);
    const caller = book.request(unix(2), "r2", 30);
    caller.errors += 1;
    for (const id of ["r2", "r2", "r1", undefined, "unheard of"]) book.saQuery(id);
    await Promise.resolve();
    expect(book.list(50)).toEqual([
      { kind: "unix", pid: 2, uid: 1000, requests: 1, cacheHits: 0, errors: 1, saQueries: 2, idleMs: 20 },
      {
        kind: "unix",
        pid: 1,
        uid: 1000,
        command: "mpirun",
        requests: 2,
        cacheHits: 1,
        errors: 0,
        saQueries: 1,
        idleMs: 30,
      },
    ]);
  });

  it("gives clients without a pid one row per kind", () => {
    const book = new ClientBook(names);
    book.hit({ id: 1, kind: "tcp" }, 0);
    book.hit({ id: 2, kind: "tcp" }, 0);
    book.hit({ id: 1, kind: "control" }, 0);
    expect(book.list(0).map(({ kind, requests }) => [kind, requests])).toEqual([
      ["tcp", 2],
      ["control", 1],
    ]);
  });

  it("is bounded, forgets who has been silent for longest, and says how many", () => {
    const book = new ClientBook(names, 2);
    for (const pid of [1, 2, 1, 3]) book.hit(unix(pid), 0);
    expect(book.list(0).map(({ pid }) => pid)).toEqual([1, 3]);
    expect(book.forgotten).toBe(1);
  });

  it("reads the command's name of a living process, and nothing of a dead one", async () => {
    expect(await procCommand(process.pid)).toBe(readFileSync("/proc/self/comm", "utf8").trimEnd());
    expect(await procCommand(0)).toBeUndefined();
  });
});

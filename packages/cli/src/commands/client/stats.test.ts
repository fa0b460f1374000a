import type { ClientJson, SaPortJson } from "@verbena/core/client";
import { clientsTable, saTable } from "./stats.js";

const port: SaPortJson = {
  device: "mlx5_0",
  port: 1,
  smLid: 7,
  window: 4,
  inFlight: 2,
  queued: 3,
  breaker: "closed",
  retryInMs: 0,
  sent: 20,
  answered: 10,
  busy: 5,
  timeouts: 8,
  refused: 6,
  dropped: 1,
  sendErrors: 0,
};

const cells = (text: string): string[][] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));

describe("verbena stats", () => {
  it("shows who asks, with what is not known as a dash", () => {
    const counts = { requests: 9, cacheHits: 7, errors: 1, saQueries: 2, idleMs: 1234 };
    const known: ClientJson = { kind: "unix", pid: 42, uid: 0, command: "mpirun", ...counts };
    expect(cells(clientsTable({ clients: [known, { kind: "tcp", ...counts }], forgotten: 3 }))).toEqual([
      ["client", "pid", "uid", "command", "requests", "cache hits", "errors", "SA queries", "last"],
      ["unix", "42", "0", "mpirun", "9", "7", "1", "2", "1.2 s ago"],
      ["tcp", "-", "-", "-", "9", "7", "1", "2", "1.2 s ago"],
      ["3 more, not heard of for longest, are not kept"],
    ]);
  });

  it("shows how each port gets on with its SA", () => {
    const open = { ...port, port: 2, breaker: "open" as const, retryInMs: 1500, notices: "taken" as const };
    expect(cells(saTable([port, open]))).toEqual([
      [
        "SA of port",
        "SM LID",
        "notices",
        "breaker",
        "window",
        "in flight",
        "queued",
        "sent",
        "answered",
        "time-outs",
        "BUSY",
        "refused",
      ],
      ["mlx5_0/1", "7", "-", "closed", "4", "2", "3", "20", "10", "8", "5", "6"],
      ["mlx5_0/2", "7", "taken", "open, tried again in 1.5 s", "4", "2", "3", "20", "10", "8", "5", "6"],
    ]);
  });
});

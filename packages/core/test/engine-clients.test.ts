import { emptyPathRecord, encodePathRecord, Lid } from "@verbena/ib";
import type { ClientIdentity, ClientUsage } from "../src/engine/contract.js";
import { FakeSa } from "../src/testing/index.js";
import { ask, type Bench, codeOf, gid, HOST, named, startBench } from "./support/engine-bench.js";

const mpi: ClientIdentity = { id: 1, kind: "unix", pid: 10, uid: 1000 };
const tool: ClientIdentity = { id: 2, kind: "unix", pid: 20, uid: 0 };
const commandOf = (pid: number): Promise<string> => Promise.resolve(pid === 10 ? "mpirun" : "ib_acme");

const usage = ({ engine }: Bench, pid: number): ClientUsage | undefined =>
  engine.clients().clients.find((client) => client.pid === pid);

describe("engine: who asks the SA", () => {
  it("counts requests, cache hits and SA queries for the client that caused them", async () => {
    const bench = await startBench({ commandOf });
    await bench.clock.run(ask(bench, "node1", { client: mpi }));
    await bench.clock.run(ask(bench, "node2", { client: mpi }));
    await bench.clock.run(ask(bench, "node1", { client: tool }));
    expect(
      bench.engine.tryResolveCached({ source: named("host1"), destination: named("node2"), client: tool }),
    ).toBeDefined();
    await codeOf(bench.clock.run(ask(bench, "nobody", { client: tool })));
    expect(bench.engine.clients()).toEqual({
      forgotten: 0,
      clients: [
        {
          kind: "unix",
          pid: 10,
          uid: 1000,
          command: "mpirun",
          requests: 2,
          cacheHits: 0,
          errors: 0,
          saQueries: 2,
          idleMs: 0,
        },
        {
          kind: "unix",
          pid: 20,
          uid: 0,
          command: "ib_acme",
          requests: 3,
          cacheHits: 2,
          errors: 1,
          saQueries: 0,
          idleMs: 0,
        },
      ],
    });
    await bench.engine.close();
  });

  it("charges a shared lookup to the first, every repeat included, and goes on when that one has left", async () => {
    const bench = await startBench();
    bench.native.sa.handler = (query) =>
      bench.clock.now() < 4_000 ? FakeSa.silent(query) : bench.native.sa.answerPath(query);
    const first = codeOf(ask(bench, "node1", { client: mpi, deadlineMs: 500 }));
    const second = codeOf(ask(bench, "node1", { client: tool }));
    expect(await bench.clock.run(Promise.all([first, second]))).toEqual(["VERBENA_RESOLVE_TIMEOUT", "resolved"]);
    expect(usage(bench, 10)).toMatchObject({ requests: 1, errors: 1, saQueries: bench.native.sa.queries.length });
    expect(usage(bench, 20)).toMatchObject({ requests: 1, errors: 0, saQueries: 0 });
    await bench.engine.close();
  });

  it("charges a refresh to who made it due, and passed-through questions to who asked them", async () => {
    const bench = await startBench({ routeTtlMs: 10_000 });
    await bench.clock.run(ask(bench, "node1", { client: mpi }));
    await bench.clock.advance(9_500);
    await bench.clock.run(ask(bench, "node1", { client: tool }));
    await bench.clock.advance(1);
    expect([usage(bench, 10)?.saQueries, usage(bench, 20)?.saQueries]).toEqual([1, 1]);
    expect(usage(bench, 20)?.cacheHits).toBe(1);
    const record = encodePathRecord(emptyPathRecord({ sgid: gid(HOST), dlid: Lid.from(107) }));
    await bench.clock.run(bench.engine.querySa({ record, client: tool }));
    expect(usage(bench, 20)).toMatchObject({ requests: 2, saQueries: 2 });
    await bench.engine.close();
  });
});

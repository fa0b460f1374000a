import { VerbenaError } from "@verbena/ib";
import { ask, codeOf, startBench } from "./support/engine-bench.js";

describe("engine: a port whose way to the SA cannot be opened", () => {
  it("is tried again by a later question, not by each one", async () => {
    let [tries, isBroken] = [0, true];
    const bench = await startBench({ negativeTtlMs: 0, notices: false }, ({ umad }) => {
      const openPort = umad.openPort.bind(umad);
      umad.openPort = (device, port) => {
        tries += 1;
        if (isBroken) throw new VerbenaError("VERBENA_NATIVE_UMAD", "umad_open_port: Input/output error", { errno: 5 });
        return openPort(device, port);
      };
    });
    expect(tries).toBe(1);
    expect(await bench.clock.run(codeOf(ask(bench, "node1")))).toBe("VERBENA_RESOLVE_NO_DATA");
    expect(tries).toBe(1);
    await bench.clock.advance(1_000);
    expect(await bench.clock.run(codeOf(ask(bench, "node1")))).toBe("VERBENA_RESOLVE_NO_DATA");
    expect(await bench.clock.run(codeOf(ask(bench, "node2")))).toBe("VERBENA_RESOLVE_NO_DATA");
    expect(tries).toBe(2);
    isBroken = false;
    await bench.clock.advance(1_000);
    expect((await bench.clock.run(ask(bench, "node1"))).paths[0]?.dlid).toBe(101);
    expect(bench.engine.saPorts()).toMatchObject([{ answered: 1 }]);
    await bench.engine.close();
  });

  it("is opened again when its agent broke", async () => {
    let breakAgent: (error: Error) => void = () => undefined;
    const bench = await startBench({ negativeTtlMs: 0, notices: false }, ({ umad }) => {
      const openPort = umad.openPort.bind(umad);
      umad.openPort = (device, port) => {
        const opened = openPort(device, port);
        const registerAgent = opened.registerAgent.bind(opened);
        opened.registerAgent = (options) => {
          const agent = registerAgent(options);
          const messages = agent.messages();
          const broken = new Promise<never>((_resolve, reject) => {
            breakAgent = reject;
          });
          agent.messages = () => {
            const next = () => Promise.race([messages.next(), broken]);
            const iterator: typeof messages = { next, [Symbol.asyncIterator]: () => iterator };
            return iterator;
          };
          return agent;
        };
        return opened;
      };
    });
    expect((await bench.clock.run(ask(bench, "node1"))).paths[0]?.dlid).toBe(101);
    breakAgent(new VerbenaError("VERBENA_NATIVE_RECEIVE", "umad_recv: No such device", { errno: 19 }));
    expect(await bench.clock.run(codeOf(ask(bench, "node2")))).toBe("VERBENA_RESOLVE_NO_DATA");
    expect(bench.native.umad.agents.size).toBe(0);
    expect(bench.engine.lostFunctions()).toMatchObject([{ reason: "umad_recv: No such device" }]);
    await bench.clock.advance(1_000);
    expect((await bench.clock.run(ask(bench, "node2"))).paths[0]?.dlid).toBe(102);
    expect(bench.engine.lostFunctions()).toEqual([]);
    await bench.engine.close();
    expect(bench.native.umad.agents.size).toBe(0);
  });
});

import { silentLogger, systemClock } from "@verbena/core";
import { IpAddress } from "@verbena/ib";
import { LoopTransport } from "../loop/loop-transport.js";
import { Engine } from "./engine.js";

describe("Engine", () => {
  it("keeps no map of an address that no transport reaches, however many are sent to", async () => {
    const engine = new Engine({
      semantics: "linux",
      maxMessageSize: 1 << 20,
      maxPeers: 4,
      maxReceiveMemory: 1 << 20,
      loopbackCongestion: false,
      answersPings: true,
      wallClockMicros: () => 1,
      clock: systemClock,
      random: () => 0,
      logger: silentLogger,
    });
    const local = { address: IpAddress.parse("127.0.0.1"), scopeId: 0 };
    const nowhere = { address: IpAddress.parse("127.0.0.9"), scopeId: 0 };
    const from = await engine.open(local, new LoopTransport());
    const map = engine.foreignMap(nowhere);
    engine.route(from, { ...nowhere, port: 4000 })?.isCongested(4000);
    expect(engine.foreignMap(nowhere)).not.toBe(map);
    await engine.close();
  });
});

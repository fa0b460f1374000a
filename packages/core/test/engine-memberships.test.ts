/** Memberships in multicast groups over the life of ports and engines. */
import { Gid, MadMethod, SaAttribute } from "@verbena/ib";
import { Accounts } from "../src/engine/accounts.js";
import { createEngine } from "../src/engine/index.js";
import { FakeProvider } from "../src/testing/index.js";
import { type Bench, startBench } from "./support/engine-bench.js";

const GROUP = Gid.parse("ff15:4001:ffff:3:400::");
const GRACE_MS = 10_000;

const leavings = ({ native }: Pick<Bench, "native">): number =>
  native.sa.queries.filter(
    ({ mad: { attributeId, method } }) => attributeId === SaAttribute.MC_MEMBER_RECORD && method === MadMethod.DELETE,
  ).length;

const holdOf = (provider: FakeProvider) => provider.ports.at(-1)!.services.memberships.hold(GROUP);

describe("engine: a multicast group of a port", () => {
  it("is left by the SA of the port when its last user has gone, not by a port or an engine that closes", async () => {
    const bench = await startBench({ notices: false });
    const release = holdOf(bench.provider);
    bench.native.linkDown("sim0", 1);
    bench.native.linkUp("sim0", 1);
    await bench.clock.settle();
    const again = holdOf(bench.provider);
    release();
    await bench.clock.advance(2 * GRACE_MS);
    expect(leavings(bench)).toBe(0);
    again();
    await bench.clock.advance(GRACE_MS);
    expect(leavings(bench)).toBe(1);
    holdOf(bench.provider);
    await bench.engine.close();
    await bench.clock.advance(2 * GRACE_MS);
    expect(leavings(bench)).toBe(1);
    expect(bench.clock.pending).toBe(0);
  });

  it("stays while the engine that takes the place of another one uses it, and is left if that does not", async () => {
    for (const uses of [true, false]) {
      const accounts = new Accounts(() => 0.5);
      const bench = await startBench({ notices: false, accounts });
      const release = holdOf(bench.provider);
      const provider = new FakeProvider();
      const opening = createEngine({
        ...{ native: bench.native, clock: bench.clock, accounts, notices: false, sourceSelector: "fabric" },
        providers: new Map([["next", provider]]),
        chains: { address: ["next"], route: ["next"] },
        addressFile: [{ kind: "name", text: "Host1", device: "sim0", port: 1, pkey: "default" }],
      });
      const next = await bench.clock.run(opening);
      if (uses) holdOf(provider);
      release();
      await bench.engine.close();
      await bench.clock.advance(2 * GRACE_MS);
      expect(leavings(bench)).toBe(uses ? 0 : 1);
      await next.close();
    }
  });
});

/**
 * A fabric that Debian's ibacm and `verbena serve` share is handed from one of Debian's OpenSMs to another: ours are right without a restart,
 * an ibacm once it has been started anew. Times until ours are right are printed.
 */
import { twoLevel } from "@verbena/fabric-sim";
import { AcmFabric, groupCount } from "./acm-fabric.js";
import { missingIbacm } from "./ibacm.js";
import { untilAllRight } from "./settled-path.js";
import { missing } from "./sim-programs.js";

const TIMEOUT_MS = 60_000;
const THEIRS = [1, 3];
const OURS = [2, 4];
const HOSTS = [...THEIRS, ...OURS];
/** A host without a service, for the second OpenSM. */
const SPARE = 5;
/** Nothing is kept for so long that it could hide what has changed. */
const LIFETIMES = "caches: { address: { ttlMs: 2000 }, route: { ttlMs: 2000 } }\n";

const reason = missingIbacm() ?? missing("opensm");
const suite = reason === undefined ? describe : describe.skip;

suite.each(["sa", "acm"])(`two OpenSMs, route_prot %s${reason === undefined ? "" : `: ${reason}`}`, (routes) => {
  let fabric: AcmFabric;

  beforeAll(async () => {
    fabric = await AcmFabric.start(twoLevel({ hosts: SPARE }), "opensm");
    const options = [`route_prot ${routes}`];
    await Promise.all([
      ...THEIRS.map((host) => fabric.ibacm(host, options)),
      ...OURS.map((host) => fabric.verbena(host, options, undefined, LIFETIMES)),
    ]);
    await fabric.groupsReach(groupCount(routes));
  }, TIMEOUT_MS);
  afterAll(() => fabric[Symbol.asyncDispose](), TIMEOUT_MS);

  const areRight = (from: readonly number[], to: readonly number[], what: string): Promise<void> =>
    untilAllRight(fabric, from, to, `route_prot ${routes}, ${what}`);

  it(
    "another becomes master when the first is gone",
    async () => {
      await areRight(HOSTS, HOSTS, "first OpenSM");
      await fabric.handOver(SPARE);
      await areRight(OURS, OURS, "second OpenSM");
      for (const host of THEIRS) await fabric.restart(host);
      await fabric.groupsReach(groupCount(routes));
      await areRight(HOSTS, HOSTS, "second OpenSM, ibacm started anew");
      const { sm } = await fabric.sim.request({ op: "status" });
      expect(sm.end).toBe(`H${SPARE}[1]`);
    },
    2 * TIMEOUT_MS,
  );
});

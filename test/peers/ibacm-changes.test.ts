/**
 * Changes of a fabric that Debian's ibacm and `verbena serve` share, without a restart of ours: after each, every answer of ours is what the
 * fabric's tables say, and of an ibacm that has been started anew. Times until ours are right are printed.
 */
import { twoLevel } from "@verbena/fabric-sim";
import { AcmFabric, FORMS, groupCount } from "./acm-fabric.js";
import { addressesOf } from "./acm-node.js";
import { missingIbacm } from "./ibacm.js";
import { untilAllRight, untilRight } from "./settled-path.js";
import { VerbenaNode } from "./verbena-node.js";

const TIMEOUT_MS = 20_000;
const THEIRS = [1, 3];
const OURS = [2, 4];
const HOSTS = [...THEIRS, ...OURS];
/** A host without a service, which can become the subnet manager's. */
const SPARE = 5;
/** Whose names and addresses are now on one host, now on another. */
const WANDERER = 99;
/**
 * What nobody announces, such as the LID of a host whose ibacm is silent, or a name that it has now, is found out when an entry is asked for that has
 * this age.
 */
const LIFETIMES = "caches: { address: { refreshMs: 2000 }, route: { refreshMs: 2000 } }\n";

const reason = missingIbacm();
const suite = reason === undefined ? describe : describe.skip;

suite.each(["sa", "acm"])(`changes, route_prot %s${reason === undefined ? "" : `: ${reason}`}`, (routes) => {
  let fabric: AcmFabric;

  beforeAll(async () => {
    fabric = await AcmFabric.start(twoLevel({ hosts: SPARE }), "built-in");
    const options = [`route_prot ${routes}`];
    await Promise.all([
      ...THEIRS.map((host) => fabric.ibacm(host, options)),
      ...OURS.map((host) => fabric.verbena(host, options, undefined, LIFETIMES)),
    ]);
    await fabric.groupsReach(groupCount(routes));
    await everybodyIsRight();
  }, TIMEOUT_MS);
  afterAll(() => fabric[Symbol.asyncDispose](), TIMEOUT_MS);

  const areRight = (from: readonly number[], what: string, all = HOSTS): Promise<void> =>
    untilAllRight(fabric, from, all, `route_prot ${routes}, ${what}`);

  const everybodyIsRight = () => areRight(HOSTS, "start");

  /** Ours at once; each ibacm after it has been started anew. */
  async function settles(what: string): Promise<void> {
    await areRight(OURS, what);
    for (const host of THEIRS) await fabric.restart(host);
    await fabric.groupsReach(groupCount(routes));
    await areRight(THEIRS, `${what}, started anew`);
    await areRight(OURS, `${what}, ibacm started anew`);
  }

  /** Until ours doubt no address of an ibacm any more. */
  async function confirms(): Promise<void> {
    const asked = OURS.flatMap((from) =>
      THEIRS.flatMap((to) =>
        addressesOf(to).map((destination, form) => ({ from, source: addressesOf(from)[form] ?? "", destination })),
      ),
    );
    for (const { from, ...question } of asked) {
      const node = fabric.node(from);
      if (!(node instanceof VerbenaNode)) throw new Error("only ours tell what they doubt");
      let isUnconfirmed: true | undefined;
      do {
        ({ isUnconfirmed } = (await node.control.resolve(question)).provenance.address ?? {});
      } while (isUnconfirmed === true);
    }
  }

  it(
    "the subnet manager moves to another host",
    async () => {
      await fabric.sim.request({ op: "sm", action: "hand-over", end: `H${SPARE}` });
      // An ibacm goes on asking the old manager and is in no group, so that it hears nobody until it is started anew.
      await areRight(OURS, "hand-over");
      // Asked alone it answers: what was kept over the hand-over is confirmed.
      await confirms();
      for (const host of THEIRS) await fabric.restart(host);
      await fabric.groupsReach(groupCount(routes));
      await areRight(HOSTS, "hand-over, ibacm started anew");
    },
    TIMEOUT_MS,
  );

  it.each([
    ["an ibacm", 1],
    ["ours", 2],
  ])(
    "the LID of a host with %s changes",
    async (what, host) => {
      await fabric.sim.request({ op: "lid", action: "change", end: `H${host}` });
      await settles(`new LID of ${what}`);
    },
    TIMEOUT_MS,
  );

  // With the administrator's routes an ibacm asks for the path that it knows, old LID included, until it is started anew.
  if (routes === "acm") {
    it(
      "the LID of ours changes: an ibacm hears of it",
      async () => {
        await fabric.sim.request({ op: "lid", action: "change", end: "H4" });
        for (const form of FORMS) await untilRight(fabric, { from: 1, to: 4, form });
      },
      TIMEOUT_MS,
    );
  }

  it.each([
    ["an ibacm", 3],
    ["ours", 4],
  ])(
    "the link of a host with %s goes and comes back",
    async (what, host) => {
      await fabric.sim.request({ op: "link", action: "down", end: `H${host}` });
      await fabric.sim.request({ op: "link", action: "up", end: `H${host}` });
      await settles(`link of ${what}`);
    },
    TIMEOUT_MS,
  );

  it(
    "the P_Key of ours moves to another place of its table",
    async () => {
      await fabric.sim.request({ op: "pkey", end: "H2", index: 1, pkey: "0xffff" });
      await fabric.sim.request({ op: "pkey", end: "H2", index: 0, pkey: "0x8005" });
      await areRight(OURS, "P_Key moved");
      await fabric.sim.request({ op: "pkey", end: "H2", index: 0, pkey: "0xffff" });
      await fabric.sim.request({ op: "pkey", end: "H2", index: 1 });
      await settles("P_Key moved back");
    },
    TIMEOUT_MS,
  );

  it(
    "names and addresses move from an ibacm to ours, and back",
    async () => {
      const here = (at: number, what: string, from: readonly number[]): Promise<void> =>
        untilAllRight(fabric, from, [WANDERER], `route_prot ${routes}, ${what}`, at);
      const [ibacm, node] = [1, fabric.node(2)];
      if (!(node instanceof VerbenaNode)) throw new Error("H2 is not ours");
      const both = (host: number): readonly string[] => [...addressesOf(host), ...addressesOf(WANDERER)];

      await fabric.restart(ibacm, both(ibacm));
      await fabric.groupsReach(groupCount(routes));
      await here(ibacm, "addresses of an ibacm", [...OURS, 3]);
      await fabric.restart(ibacm, addressesOf(ibacm));
      await node.readdress(both(2));
      await fabric.groupsReach(groupCount(routes));
      await here(2, "addresses moved to ours", [4]);
      await fabric.restart(3);
      await fabric.groupsReach(groupCount(routes));
      await here(2, "addresses moved to ours, ibacm started anew", [ibacm, 3]);
      await node.readdress(addressesOf(2));
      await fabric.restart(ibacm, both(ibacm));
      await fabric.groupsReach(groupCount(routes));
      await here(ibacm, "addresses moved back", OURS);
      await fabric.restart(3);
      await fabric.groupsReach(groupCount(routes));
      await here(ibacm, "addresses moved back, ibacm started anew", [3]);
      await fabric.restart(ibacm, addressesOf(ibacm));
      await fabric.groupsReach(groupCount(routes));
      await everybodyIsRight();
    },
    2 * TIMEOUT_MS,
  );

  it(
    "all members are asked to register again",
    async () => {
      await fabric.sim.request({ op: "sm", action: "reregister" });
      await settles("reregistered");
    },
    TIMEOUT_MS,
  );
});

/**
 * `verbena multicast check` on fabrics that Debian's OpenSM routes: whether paths made of multicast groups may be used there. The
 * administrator's own paths are right on each.
 */
import { fatTree } from "@verbena/fabric-sim";
import { ask } from "../../packages/cli/test/support/run.js";
import { AcmFabric, FORMS } from "./acm-fabric.js";
import { missingIbacm } from "./ibacm.js";
import { missing } from "./sim-programs.js";
import { torus } from "./torus.js";

const TIMEOUT_MS = 60_000;
const GRID = torus(3);
/** On the torus: at (0, 0), (1, 0), (2, 0) and (2, 2). The way from a ring's first to its last crosses its dateline. */
const [HERE, NEAR, ACROSS, ACROSS_BOTH] = [1, 2, 3, 9] as const;
const HOSTS = [HERE, NEAR, ACROSS, ACROSS_BOTH];

const reason = missingIbacm() ?? missing("opensm");
const suite = reason === undefined ? describe : describe.skip;

suite.each([
  ["a fat tree", fatTree({ hosts: 9, leafs: 3, spines: 2 }), {}, { [NEAR]: 0, [ACROSS]: 0, [ACROSS_BOTH]: 0 }],
  // One bit of the SL for each direction whose dateline is crossed.
  ["a torus", GRID.topology, { torus: GRID.config }, { [NEAR]: 0, [ACROSS]: 1, [ACROSS_BOTH]: 3 }],
] as const)(`%s of OpenSM${reason === undefined ? "" : `: ${reason}`}`, (_what, topology, opensm, levels) => {
  let fabric: AcmFabric;
  const level = (host: number): number => new Map(Object.entries(levels)).get(String(host)) ?? 0;

  beforeAll(async () => {
    fabric = await AcmFabric.start(topology, "opensm", { opensm });
    await Promise.all(HOSTS.map((host) => fabric.verbena(host, ["addr_prot acm", "route_prot sa"])));
    await fabric.groupsReach();
  }, TIMEOUT_MS);
  afterAll(() => fabric[Symbol.asyncDispose](), TIMEOUT_MS);

  it.each([NEAR, ACROSS, ACROSS_BOTH])(
    "the check of H%i says whether the SA's paths have the group's SL",
    async (host) => {
      const { socket } = fabric.node(HERE);
      const { status, out } = await ask(["multicast", "check", "--socket", socket, `peer${host}`]);
      const sl = level(host);
      const group = "  group ff15:4001:ffff:3:400::: SL 0, but the path";
      const problems = ["there", "back"].map((way) => `${group} ${way} has SL ${sl}\n`).join("");
      expect([status, out]).toEqual(
        sl === 0
          ? [0, expect.stringMatching(new RegExp(`^peer${host}: route_prot acm may be used .*\n$`))]
          : [1, expect.stringMatching(new RegExp(`^peer${host}: route_prot acm must not be used .*\n${problems}$`))],
      );
    },
    TIMEOUT_MS,
  );

  it.each(FORMS)(
    "with route_prot sa all find all by %s, with the SA's own paths",
    async (form) => {
      for (const from of HOSTS) {
        const others = HOSTS.filter((host) => host !== from);
        const expected = await Promise.all(
          others.map(async (to) => {
            const { fields, ...rest } = await fabric.expected(from, to, form);
            const { sl: _, ...others } = fields;
            return { ...rest, fields: others };
          }),
        );
        const shown = await fabric.ask(from, others, form);
        expect(shown).toMatchObject(expected);
        if (from === HERE) expect(shown.map(({ fields }) => Number(fields["sl"]))).toEqual(others.map(level));
      }
    },
    TIMEOUT_MS,
  );
});

/**
 * Debian's ibacm and `verbena serve` on ports of 10, 40 and 100 Gb/s that share a base group, with paths made of groups. An ibacm is in two
 * groups, the base group and that of its own port; ours are in all that the port can carry: each pair uses the best that both are in.
 */
import { star } from "../../packages/provider-acm/test/support/star.js";
import { AcmFabric, FORMS } from "./acm-fabric.js";
import { missingIbacm } from "./ibacm.js";
import { missing } from "./sim-programs.js";

const TIMEOUT_MS = 60_000;
const SPEEDS = { 10: "SDR", 40: "QDR", 100: "EDR" } as const;
type Gbps = keyof typeof SPEEDS;
/** Host: who serves it, and how fast its port is. */
const HOSTS = new Map<number, { readonly kind: "ibacm" | "ours"; readonly gbps: Gbps }>([
  [1, { kind: "ibacm", gbps: 10 }],
  [2, { kind: "ours", gbps: 10 }],
  [3, { kind: "ibacm", gbps: 40 }],
  [4, { kind: "ours", gbps: 40 }],
  [5, { kind: "ibacm", gbps: 100 }],
  [6, { kind: "ours", gbps: 100 }],
]);
interface Group {
  readonly gbps: Gbps;
  readonly mtu: 2048 | 4096;
}
const BASE: Group = { gbps: 10, mtu: 2048 };
/** What the options of ours name beside it. */
const EXTRA: readonly Group[] = [
  { gbps: 40, mtu: 4096 },
  { gbps: 100, mtu: 4096 },
];
/** Codes of rate and MTU in a path record (IBA 15.2.5.16). */
const RATES = { 10: "3", 40: "7", 100: "16" } as const;
const MTUS = { 2048: "4", 4096: "5" } as const;
const CONFIG = `providers:
  - package: "@verbena/provider-acm"
    options:
      groups:
${EXTRA.map(({ gbps, mtu }) => `        - { rateGbps: ${gbps}, mtuBytes: ${mtu} }\n`).join("")}  - package: "@verbena/provider-sa"
`;
const MANAGERS = [
  ["built-in", missingIbacm()],
  ["opensm", missingIbacm() ?? missing("opensm")],
] as const;

/** The groups that a host is in, worst first: of those that are told, what its port can carry. */
function groupsOf(host: number): readonly Group[] {
  const { kind, gbps } = HOSTS.get(host) ?? { kind: "ours", gbps: 10 };
  const port: Group = { gbps, mtu: 4096 };
  const slower = kind === "ours" ? EXTRA.filter((group) => group.gbps < gbps) : [];
  return [BASE, ...slower, port];
}

function bestOf(from: number, to: number): Group {
  const theirs = groupsOf(to);
  const both = groupsOf(from).filter(({ gbps, mtu }) => theirs.some((one) => one.gbps === gbps && one.mtu === mtu));
  return both.at(-1) ?? BASE;
}

for (const [manager, reason] of MANAGERS) {
  const suite = reason === undefined ? describe : describe.skip;
  const title = `subnet manager ${manager}${reason === undefined ? "" : `: ${reason}`}`;

  suite(`ports of 10, 40 and 100 Gb/s in one base group, ${title}`, () => {
    let fabric: AcmFabric;
    beforeAll(async () => {
      fabric = await AcmFabric.start(star([...HOSTS].map(([host, { gbps }]) => [`H${host}`, SPEEDS[gbps]])), manager);
      const options = ["addr_prot acm", "route_prot acm"];
      for (const [host, { kind }] of HOSTS) {
        if (kind === "ibacm") await fabric.ibacm(host, options);
        else await (await fabric.verbena(host, options, undefined, CONFIG)).groupsJoined();
      }
      await fabric.groupsReach();
    }, TIMEOUT_MS);
    afterAll(() => fabric[Symbol.asyncDispose](), TIMEOUT_MS);

    it.each(FORMS)(
      "each pair uses the best group that both are in, asked by %s",
      async (form) => {
        for (const from of HOSTS.keys()) {
          const others = [...HOSTS.keys()].filter((host) => host !== from);
          const expected = await Promise.all(
            others.map(async (to) => {
              const { destination, fields } = await fabric.expected(from, to, form);
              const { gbps, mtu } = bestOf(from, to);
              const { dgid, sgid, dlid, slid } = fields;
              return { destination, fields: { dgid, sgid, dlid, slid, rate: RATES[gbps], mtu: MTUS[mtu] } };
            }),
          );
          expect(await fabric.ask(from, others, form)).toMatchObject(expected);
        }
      },
      TIMEOUT_MS,
    );
  });
}

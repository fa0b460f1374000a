/**
 * Four of Debian's ibacm and four of `verbena serve` on one fabric: all resolve all by the multicast address protocol, asked through
 * Debian's `ib_acme` on every node.
 */
import { twoLevel } from "@verbena/fabric-sim";
import { AcmFabric, FORMS, groupCount } from "./acm-fabric.js";
import { missingIbacm } from "./ibacm.js";
import { missing } from "./sim-programs.js";

const TIMEOUT_MS = 120_000;
/** Both kinds on each leaf switch. */
const THEIRS = [1, 3, 5, 7];
const OURS = [2, 4, 6, 8];
const HOSTS = [...THEIRS, ...OURS].toSorted((a, b) => a - b);
const MANAGERS = [
  ["built-in", missingIbacm()],
  ["opensm", missingIbacm() ?? missing("opensm")],
] as const;

for (const [manager, reason] of MANAGERS) {
  const suite = reason === undefined ? describe : describe.skip;
  const title = `subnet manager ${manager}${reason === undefined ? "" : `: ${reason}`}`;

  suite.each(["sa", "acm"])(`four ibacm and four of ours, route_prot %s, ${title}`, (routes) => {
    let fabric: AcmFabric;
    beforeAll(async () => {
      fabric = await AcmFabric.start(twoLevel({ hosts: HOSTS.length }), manager);
      const options = ["addr_prot acm", `route_prot ${routes}`];
      await Promise.all([
        ...THEIRS.map((host) => fabric.ibacm(host, options)),
        ...OURS.map((host) => fabric.verbena(host, options)),
      ]);
      await fabric.groupsReach(groupCount(routes));
    }, TIMEOUT_MS);
    afterAll(() => fabric[Symbol.asyncDispose](), TIMEOUT_MS);

    it.each(FORMS)("resolve each other by %s", async (form) => {
      for (const from of HOSTS) {
        const others = HOSTS.filter((host) => host !== from);
        const expected = await Promise.all(others.map((to) => fabric.expected(from, to, form)));
        expect(await fabric.ask(from, others, form)).toMatchObject(expected);
      }
    });
  });
}

/** Debian's ibacm, unmodified, four times on the simulated fabric: each resolves every other, as the fabric's tables have it. */
import { twoLevel } from "@verbena/fabric-sim";
import { AcmFabric, FORMS, groupCount } from "./acm-fabric.js";
import { missingIbacm } from "./ibacm.js";
import { missing } from "./sim-programs.js";

const HOSTS = [1, 2, 3, 4];
const MANAGERS = [
  ["built-in", missingIbacm()],
  ["opensm", missingIbacm() ?? missing("opensm")],
] as const;

for (const [manager, reason] of MANAGERS) {
  const suite = reason === undefined ? describe : describe.skip;
  const title = `subnet manager ${manager}${reason === undefined ? "" : `: ${reason}`}`;

  suite.each(["sa", "acm"])(`four ibacm, route_prot %s, ${title}`, (routes) => {
    let fabric: AcmFabric;
    beforeAll(async () => {
      fabric = await AcmFabric.start(twoLevel({ hosts: HOSTS.length, hostsPerLeaf: 2 }), manager);
      for (const host of HOSTS) await fabric.ibacm(host, [`route_prot ${routes}`]);
      await fabric.groupsReach(groupCount(routes));
    });
    afterAll(() => fabric[Symbol.asyncDispose]());

    it.each(FORMS)("resolve each other by %s", async (form) => {
      for (const from of HOSTS) {
        const others = HOSTS.filter((host) => host !== from);
        const expected = await Promise.all(others.map((to) => fabric.expected(from, to, form)));
        expect(await fabric.ask(from, others, form)).toMatchObject(expected);
      }
    });
  });
}

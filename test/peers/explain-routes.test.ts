/** The paths that engines on every host resolve are those of OpenSM, and the routes that `explain` draws those of ibtracert. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Resolver } from "@verbena/core";
import { fatTree } from "@verbena/fabric-sim";
import { Gid, Lid } from "@verbena/ib";
import { Fleet } from "../../packages/cli/test/support/fleet.js";
import { printed } from "./ibsim.js";
import { ibtracert, tracedRoute } from "./ibtracert.js";
import { OpenSm } from "./opensm.js";
import { seeded } from "./seeded.js";
import { missing, records, run, runOnNode } from "./sim-programs.js";

const HOSTS = 100;
const SAMPLE = 60;
const VERBENA = join(__dirname, "../../packages/cli/bin/verbena.js");
const reason = missing("opensm", "ibtracert", "saquery");
const suite = reason === undefined ? describe : describe.skip;

jest.setTimeout(300_000);

suite(`routes on a fabric of OpenSM${reason === undefined ? "" : `: ${reason}`}`, () => {
  let fleet: Fleet;
  let opensm: OpenSm;
  const resolvers = new Map<string, Resolver>();

  const resolverOf = (node: string): Resolver => {
    const resolver = resolvers.get(node);
    if (resolver === undefined) throw new Error(`no resolver on ${node}`);
    return resolver;
  };

  beforeAll(async () => {
    fleet = await Fleet.start({
      topology: fatTree({ hosts: HOSTS, leafs: 4, spines: 1, rate: "4xHDR" }),
      sm: "opensm",
    });
    opensm = await OpenSm.up({ fabric: fleet.dir, node: "H1" });
    for (let n = 1; n <= HOSTS; n++) resolvers.set(`H${n}`, await fleet.resolver(`H${n}`, { prefetch: "port" }));
  });

  afterAll(async () => {
    await fleet[Symbol.asyncDispose]();
    await opensm.stop();
  });

  it("all pairs resolve to the path that saquery prints", async () => {
    const { stdout } = await runOnNode(fleet.dir, "H7", "saquery", "-t", "20000", "PR");
    const expected = new Map(records(stdout).map((record) => [`${record["slid"]} ${record["dlid"]}`, record]));
    const hosts = await fleet.hosts();
    const differing: unknown[] = [];
    let compared = 0;
    for (const [from, { lid: slid }] of hosts) {
      for (const [to, { lid: dlid, gid }] of hosts) {
        if (from === to) continue;
        const { paths } = await resolverOf(from).resolve(`node${to.slice(1)}`);
        const record = expected.get(`${slid} ${dlid}`);
        const ours = paths.map((path) => [path.slid, path.dlid, Gid.format(path.sgid), Gid.format(path.dgid), path.sl]);
        const theirs = [slid, dlid, record?.["sgid"], record?.["dgid"], Number(record?.["sl"])];
        compared++;
        if (JSON.stringify(ours) !== JSON.stringify([theirs]) || record?.["dgid"] !== gid)
          differing.push([ours, theirs]);
      }
    }
    expect({ compared, differing }).toEqual({ compared: HOSTS * (HOSTS - 1), differing: [] });
  });

  it(`${SAMPLE} pairs by lot have the route that ibtracert prints`, async () => {
    const random = seeded(8);
    const pick = (): string => `H${1 + Math.floor(random() * HOSTS)}`;
    const hosts = await fleet.hosts();
    const lid = (node: string): number => hosts.get(node)?.lid ?? 0;
    for (let n = 0; n < SAMPLE; n++) {
      const [from, to] = [pick(), pick()];
      const { route } = await resolverOf(from).engine.explain({
        destination: { kind: "lid", lid: Lid.from(lid(to)), text: String(lid(to)) },
        client: { id: 1, kind: "embed" },
        route: true,
      });
      if (route === undefined) throw new Error(`no route from ${from} to ${to}`);
      expect([from, to, route.problem, tracedRoute(route)]).toEqual([
        from,
        to,
        undefined,
        await ibtracert(fleet.dir, "H7", lid(from), lid(to)),
      ]);
    }
  });

  it("verbena explain draws it", async () => {
    const socketPath = join(fleet.folder, "s");
    const args = [VERBENA, "serve", "--fabric", fleet.dir, "--node", "H20", "--socket", socketPath];
    const daemon: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
    const ended = once(daemon, "exit");
    try {
      await printed(daemon, "ready");
      const hosts = await fleet.hosts();
      const { stdout } = await run(process.execPath, [VERBENA, "explain", "node100", "--socket", socketPath], {});
      const drawn = stdout.matchAll(/^ {2}\[(\d+)\] -> (?:switch|ca) (0x[0-9a-f]+) port (\d+) lid/gm);
      const steps = [...drawn].map(([, out, guid, entry]) => [Number(out), guid, Number(entry)]);
      const [slid, dlid] = [hosts.get("H20")?.lid ?? 0, hosts.get("H100")?.lid ?? 0];
      expect(steps).toEqual(await ibtracert(fleet.dir, "H7", slid, dlid));
      expect(stdout).toContain(`"node100 HCA-1"`);
      expect(stdout).toMatch(/^│ node20 HCA-1 ├1/m);
    } finally {
      daemon.kill();
      await ended;
    }
  });
});

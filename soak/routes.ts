// pnpm soak routes [--steps N] [--seed N]
//
// Every pair of 100 hosts on a simulated fabric that Debian's OpenSM manages: the route that `explain` follows equals that of ibtracert, port
// by port. 9,900 pairs, or a part of them by lot. Skipped, with the reason, where OpenSM is not installed.
import type { Resolver } from "@verbena/core";
import { fatTree } from "@verbena/fabric-sim";
import { Lid } from "@verbena/ib";
import { Fleet } from "../packages/cli/test/support/fleet.js";
import { ibtracert, tracedRoute } from "../test/peers/ibtracert.js";
import { OpenSm } from "../test/peers/opensm.js";
import { missing } from "../test/peers/sim-programs.js";
import { soakSettings } from "./lib/settings.js";

const HOSTS = 100;
const AT_ONCE = 4;

const { steps, random, replay } = soakSettings(HOSTS * (HOSTS - 1));
const problems: string[] = [];

async function compare(fleet: Fleet, resolver: Resolver, slid: number, dlid: number): Promise<void> {
  const destination = { kind: "lid", lid: Lid.from(dlid), text: String(dlid) } as const;
  const { route, error } = await resolver.engine.explain({
    destination,
    client: { id: 1, kind: "embed" },
    route: true,
  });
  const theirs = JSON.stringify(await ibtracert(fleet.dir, "H7", slid, dlid));
  const ours = route === undefined ? String(error) : (route.problem ?? JSON.stringify(tracedRoute(route)));
  if (ours !== theirs) problems.push(`LID ${slid} to LID ${dlid}: ${ours}, ibtracert: ${theirs}`);
}

/** All pairs in an order by lot, as many as there are steps. */
function pairs(nodes: readonly string[]): (readonly [from: string, to: string])[] {
  const all = nodes.flatMap((from) => nodes.filter((to) => to !== from).map((to) => [random(), from, to] as const));
  const drawn = all.sort(([a], [b]) => a - b).slice(0, steps);
  return drawn.map(([, from, to]) => [from, to] as const).sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
}

async function main(): Promise<void> {
  const reason = missing("opensm", "ibtracert");
  if (reason !== undefined) {
    console.log(`soak routes: skipped: ${reason}`);
    return;
  }
  await using fleet = await Fleet.start({ topology: fatTree({ hosts: HOSTS, leafs: 4, spines: 2 }), sm: "opensm" });
  const opensm = await OpenSm.up({ fabric: fleet.dir, node: "H1" });
  const hosts = await fleet.hosts();
  const todo = pairs([...hosts.keys()]);
  const resolvers = new Map<string, Resolver>();
  for (const [from] of todo) if (!resolvers.has(from)) resolvers.set(from, await fleet.resolver(from));
  const rest = todo.values();
  const worker = async (): Promise<void> => {
    for (const [from, to] of rest) {
      const resolver = resolvers.get(from);
      if (resolver !== undefined) await compare(fleet, resolver, hosts.get(from)?.lid ?? 0, hosts.get(to)?.lid ?? 0);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await opensm.stop();
  console.log(`${todo.length} pairs from ${resolvers.size} hosts compared with ibtracert`);
  for (const problem of problems.slice(0, 30)) console.error(`soak routes: ${problem}`);
  if (problems.length === 0) return;
  console.error(`soak routes: ${problems.length} problems; again with: ${replay}`);
  process.exitCode = 1;
}

void main();

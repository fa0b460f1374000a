// pnpm soak fabric [--steps N] [--seed N]
//
// Random faults and requests on a simulated fabric with its own SM and SA: 10,000 steps, times that are short. Engines on six hosts. Every
// answer must be a path that the fabric had, at the reply or since the last thing that the engine was told about it; changes that nobody
// announced may be unknown for the lifetime of a route. No request outlives its deadline. At the end, with all faults mended, every
// engine has the right path to every host; closed, nothing is left: heap, descriptors, handles, agents.
import { setTimeout as sleep } from "node:timers/promises";
import type { Resolver } from "@verbena/core";
import { fatTree } from "@verbena/fabric-sim";
import { Fleet } from "../packages/cli/test/support/fleet.js";
import { Asking } from "./lib/asking.js";
import { Faults, targetsOf } from "./lib/fabric-faults.js";
import { FabricHistory } from "./lib/fabric-history.js";
import { judgeAll } from "./lib/judge-all.js";
import { type Holdings, holdings, leaks } from "./lib/leaks.js";
import { machineMs } from "./lib/machine-clock.js";
import { soakSettings } from "./lib/settings.js";

const STEPS = 10_000;
const HOSTS = 12;
const DAEMONS = ["H2", "H3", "H4", "H6", "H8", "H10"];
const FAULT_SHARE = 0.15;
const TTL_MS = 2_000;
const DEADLINE_MS = 3_000;
const HEAP_ALLOWANCE = 16 * 2 ** 20;
const config = {
  sa: { timeoutMs: 300, retries: 4, breakerPauseMs: 100 },
  caches: { address: { ttlMs: TTL_MS }, route: { ttlMs: TTL_MS }, negativeTtlMs: 100 },
} as const;

const { steps, seed, random, replay } = soakSettings(STEPS);
const problems: string[] = [];

/** Every other one; then a route may be as old as the table it came from, and its own lifetime besides. */
const prefetchOf = (node: string): "port" | "none" => (DAEMONS.indexOf(node) % 2 === 1 ? "port" : "none");

/** A run on a new fabric. */
async function run(count: number): Promise<string> {
  await using fleet = await Fleet.start({ topology: fatTree({ hosts: HOSTS, leafs: 3, spines: 2 }), seed });
  const history = await FabricHistory.follow(fleet.dir);
  const resolvers = new Map<string, Resolver>();
  for (const node of DAEMONS) {
    const prefetch = prefetchOf(node);
    resolvers.set(
      node,
      await fleet.resolver(node, { config, prefetch, prefetchTtlMs: TTL_MS, nodeTableTtlMs: TTL_MS }),
    );
  }
  const asking = new Asking(resolvers, DEADLINE_MS);
  const faults = new Faults(fleet.sim, targetsOf(await fleet.status()), random, (error) =>
    problems.push(`a fault failed: ${String(error)}`),
  );
  const gids = new Map([...(await fleet.hosts())].map(([node, { gid }]) => [node, gid]));
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

  for (let step = 0; step < count; step++) {
    if (random() < FAULT_SHARE) {
      faults.strike(true);
    } else {
      const wanted = `H${1 + Math.floor(random() * HOSTS)}`;
      const node = pick(DAEMONS);
      const byGid = random() < 0.3;
      await asking.ask({ node, wanted, destination: byGid ? (gids.get(wanted) ?? "") : `node${wanted.slice(1)}` });
    }
    await sleep(random() * 8);
  }
  await faults.settled();
  await fleet.sim.request({ op: "fault", action: "clear" });
  await fleet.sim.request({ op: "sa", mode: "normal" });
  await fleet.sim.request({ op: "sm", action: "sweep" });
  await asking.settled();

  // Mended, and what nobody announced has expired: all know all. Prefetched tables are as old as they may be, then the routes from them.
  await sleep(3 * TTL_MS + asking.graceMs(machineMs() - 1_000));
  const routeTtlMs = (node: string): number => (prefetchOf(node) === "port" ? 2 * TTL_MS : TTL_MS);
  await judgeAll({ fleet, history, asking, resolvers, problems, routeTtlMs });
  return `${count} steps: ${faults.count} faults, ${asking.summary()}; ${history.lastSeq} log entries`;
}

async function main(): Promise<void> {
  // Once before counting: what is loaded and cached at the first use is no leak.
  await run(Math.min(steps, 50));
  const before: Holdings = holdings();
  console.log(await run(steps));
  problems.push(...leaks(before, holdings(), { heapBytes: HEAP_ALLOWANCE, libraries: DAEMONS.length }));
  for (const problem of problems.slice(0, 30)) console.error(`soak fabric: ${problem}`);
  if (problems.length === 0) return;
  console.error(`soak fabric: ${problems.length} problems; again with: ${replay}`);
  process.exitCode = 1;
}

void main();

// pnpm soak opensm [--steps N] [--seed N]
//
// Random faults and requests on a simulated fabric that Debian's OpenSM manages: 200 faults, and between them 10 hand-overs from one
// OpenSM to another. The oracle is that of `pnpm soak fabric`. A step is a fault with the requests around it; OpenSM has to follow each
// one before the next, so that it is its tables that answers are held against. Skipped, with the reason, where OpenSM is not installed.
import { setTimeout as sleep } from "node:timers/promises";
import type { Resolver } from "@verbena/core";
import { fatTree } from "@verbena/fabric-sim";
import { Fleet } from "../packages/cli/test/support/fleet.js";
import { OpenSm } from "../test/peers/opensm.js";
import { missing } from "../test/peers/sim-programs.js";
import { Asking } from "./lib/asking.js";
import { Faults } from "./lib/fabric-faults.js";
import { FabricHistory } from "./lib/fabric-history.js";
import { targetsOf } from "./lib/fabric-targets.js";
import type { FailureLimits } from "./lib/failure-oracle.js";
import { judgeAll } from "./lib/judge-all.js";
import { holdings, leaks } from "./lib/leaks.js";
import { machineMs } from "./lib/machine-clock.js";
import { Pulse } from "./lib/pulse.js";
import { soakSettings } from "./lib/settings.js";

const STEPS = 200;
const HAND_OVERS = 10;
const HOSTS = 12;
const MANAGERS = ["H1", "H2"] as const;
/** The OpenSMs run on the first two hosts. */
const DAEMONS = ["H3", "H4", "H6", "H8", "H10"];
const REQUESTS_A_STEP = 10;
const TTL_MS = 1_000;
const DEADLINE_MS = 5_000;
const HEAP_ALLOWANCE = 16 * 2 ** 20;
/** Of the first master. Each standby is one below the master of its time: an equal one may be handed the fabric by that master. */
const TOP_PRIORITY = 14;
const POLLING = ["sminfo_polling_timeout 500", "polling_retry_number 2"];
const SA = { timeoutMs: 500, retries: 4, breakerPauseMs: 100 } as const;
const NEGATIVE_TTL_MS = 100;
/** Courses of 30 steps had 93 % answered. */
const LEAST_ANSWERED = 0.75;
const config = {
  sa: SA,
  caches: { address: { ttlMs: TTL_MS }, route: { ttlMs: TTL_MS }, negativeTtlMs: NEGATIVE_TTL_MS },
} as const;
const failureLimits: FailureLimits = {
  managers: MANAGERS,
  tryMs: SA.timeoutMs,
  patienceMs: SA.timeoutMs * (SA.retries + 1),
  negativeTtlMs: NEGATIVE_TTL_MS,
  settleMs: 0,
  registeringMs: 0,
};

const { steps, random, replay } = soakSettings(STEPS);
const problems: string[] = [];

/** The master dies and the standby takes over; then a new one, of that priority, stands by on the node of the dead. */
async function handOver(
  fabric: string,
  managers: [master: OpenSm, standby: OpenSm],
  nodes: [string, string],
  priority: number,
): Promise<void> {
  await managers[0].stop();
  managers.reverse();
  nodes.reverse();
  await managers[0].logs("SUBNET UP");
  managers[1] = await OpenSm.standby({ fabric, node: nodes[1], options: [`sm_priority ${priority}`, ...POLLING] });
}

async function run(count: number): Promise<string> {
  await using fleet = await Fleet.start({ topology: fatTree({ hosts: HOSTS, leafs: 3, spines: 2 }), sm: "opensm" });
  const nodes: [string, string] = [...MANAGERS];
  const up = await OpenSm.up({
    fabric: fleet.dir,
    node: nodes[0],
    options: [`sm_priority ${TOP_PRIORITY}`, ...POLLING],
  });
  const managers: [OpenSm, OpenSm] = [
    up,
    await OpenSm.standby({
      fabric: fleet.dir,
      node: nodes[1],
      options: [`sm_priority ${TOP_PRIORITY - 1}`, ...POLLING],
    }),
  ];
  const history = await FabricHistory.follow(fleet.dir);
  const pulse = Pulse.start(fleet.dir, history.late, SA.timeoutMs);
  const resolvers = new Map<string, Resolver>();
  for (const node of DAEMONS) resolvers.set(node, await fleet.resolver(node, { config, nodeTableTtlMs: TTL_MS }));
  const asking = new Asking(resolvers, DEADLINE_MS);
  const faults = new Faults({
    dir: fleet.dir,
    sim: fleet.sim,
    targets: targetsOf(await fleet.status(), {
      managers: MANAGERS,
      moving: { ips: [], hosts: [] },
      aliases: [],
    }),
    random,
    onFailure: (error) => problems.push(`a fault failed: ${String(error)}`),
  });
  const handOvers = Math.min(Math.round((HAND_OVERS * count) / STEPS) || 1, TOP_PRIORITY - 1);
  let handedOver = 0;
  for (let step = 0; step < count; step++) {
    if (handedOver < handOvers && step >= ((handedOver + 0.5) * count) / handOvers - 1) {
      handedOver += 1;
      await handOver(fleet.dir, managers, nodes, TOP_PRIORITY - 1 - handedOver);
    }
    faults.strike(false);
    for (let request = 0; request < REQUESTS_A_STEP; request++) {
      const wanted = `H${1 + Math.floor(random() * HOSTS)}`;
      const node = DAEMONS[Math.floor(random() * DAEMONS.length)] ?? "H3";
      await asking.ask({ node, wanted, destination: `node${wanted.slice(1)}` });
      await sleep(random() * 60);
    }
  }
  await faults.mend(false);
  await asking.settled();
  // OpenSM brings up what came back; it may take a sweep or two.
  const isUp = async (): Promise<boolean> =>
    (await fleet.status()).nodes.every(({ ports }) => ports.every(({ state }) => state === "active"));
  for (let wait = 0; wait < 120 && !(await isUp()); wait++) await sleep(500);
  if (!(await isUp())) problems.push("OpenSM has not brought every port up again within a minute");
  await sleep(2 * TTL_MS + asking.graceMs(machineMs() - 1_000));
  await pulse.stop();
  await judgeAll({
    fleet,
    history,
    asking,
    resolvers,
    problems,
    limits: () => ({ routeTtlMs: TTL_MS, registryTtlMs: 0, leaseMs: 0 }),
    failureLimits,
    leastAnswered: LEAST_ANSWERED,
  });
  for (const manager of managers) await manager.stop();
  return `${count} steps: ${faults.count} faults, ${handedOver} hand-overs, ${asking.summary()}; ${history.lastSeq} log entries`;
}

async function main(): Promise<void> {
  const reason = missing("opensm");
  if (reason !== undefined) {
    console.log(`soak opensm: skipped: ${reason}`);
    return;
  }
  await run(1);
  const before = holdings();
  console.log(await run(steps));
  problems.push(...leaks(before, holdings(), { heapBytes: HEAP_ALLOWANCE, libraries: DAEMONS.length }));
  for (const problem of problems.slice(0, 30)) console.error(`soak opensm: ${problem}`);
  if (problems.length === 0) return;
  console.error(`soak opensm: ${problems.length} problems; again with: ${replay}`);
  process.exitCode = 1;
}

void main();

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Resolver } from "@verbena/core";
import { fatTree } from "@verbena/fabric-sim";
import { VerbenaError } from "@verbena/ib";
import { CountedProvider } from "./counted-provider.js";
import { eventually } from "./eventually.js";
import { TestFabric } from "./fabric.js";

/** So many hosts, each asked for so many others. */
export interface StormOptions {
  readonly hosts: number;
  readonly asked: number;
  /** Hosts that ask at the same time; default: all. */
  readonly atOnce?: number;
  /** Of its others, how many a host asks for at the same time; default: all. */
  readonly outstanding?: number;
  readonly deadlineMs?: number;
}

/** What a storm was like. */
export interface StormReport {
  readonly resolutions: number;
  /** Answers that are not what the fabric says, and failures, as sentences. */
  readonly problems: readonly string[];
  /** Packets, memory and CPU, as sentences. */
  readonly figures: readonly string[];
}

const config = { chains: { address: ["acm"], route: ["acm"] }, sa: { notices: false } };

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Hosts in one base group who ask for each other by name; nobody tells before by himself where he is. */
export async function storm(options: StormOptions): Promise<StormReport> {
  const { hosts, asked, atOnce = hosts, outstanding = asked, deadlineMs } = options;
  const leafs = Math.ceil(hosts / 25);
  await using fabric = await TestFabric.start({ topology: fatTree({ hosts, leafs, spines: 2 }) });
  const nodes = Array.from({ length: hosts }, (_, n) => `H${String(n + 1)}`);
  const provider = new CountedProvider();
  // Caches take their room at once: as much as is needed.
  const caches = { maxEntries: 2 * hosts };
  const member = {
    config: { ...config, caches },
    withSa: false,
    definition: provider.definition,
    acm: { announce: false, recvDepth: 256, maxPeers: 2 * hosts },
  };
  const resolvers: Resolver[] = [];
  for (const node of nodes) resolvers.push(await fabric.host(node, member));
  await eventually(() => {
    expectAll(resolvers.every((resolver) => resolver.endpoints()[0]?.state === "ready"));
  });
  const status = await fabric.sim.request({ op: "status" });
  const lids = new Map(status.nodes.map(({ id, ports: [port] }) => [id, port?.lid]));

  const [heapBefore, cpuBefore, before] = [heapBytes(), process.cpuUsage(), performance.now()];
  const problems: string[] = [];
  const ask = async (resolver: Resolver, from: number, step: number): Promise<void> => {
    const node = nodes[(from + step) % hosts] ?? "";
    try {
      const { paths } = await resolver.resolve(node, deadlineMs === undefined ? {} : { deadlineMs });
      const [right, found] = [lids.get(node), paths[0]?.dlid];
      if (found !== right) problems.push(`H${String(from + 1)} to ${node}: LID ${String(found)}, not ${String(right)}`);
    } catch (error) {
      problems.push(`H${String(from + 1)} to ${node}: ${VerbenaError.is(error) ? error.code : String(error)}`);
    }
  };
  await inParallel(atOnce, resolvers.entries(), ([from, resolver]) =>
    inParallel(outstanding, steps(hosts, asked).values(), (step) => ask(resolver, from, step)),
  );
  const tookMs = performance.now() - before;
  const cpu = process.cpuUsage(cpuBefore);
  const grownBytes = heapBytes() - heapBefore;

  const counts = provider.counts();
  const resolutions = hosts * asked;
  const entries = resolvers.reduce((sum, resolver) => sum + resolver.engine.cacheEntries().length, 0);
  const per = (value: number, unit: number): string => (value / unit).toFixed(2);
  return {
    resolutions,
    problems,
    figures: [
      `${String(hosts)} hosts, each asked for ${String(asked)} others: ${(tookMs / 1000).toFixed(1)} s`,
      `packets per resolution: ${per(counts.requestsSent, resolutions)} requests (${per(counts.retries, resolutions)} of them repeats), ${per(counts.responsesSent, resolutions)} responses`,
      `${String(counts.requestsHeard)} requests heard, ${String(entries)} entries learnt, ${per(grownBytes, entries)} bytes of heap each`,
      `CPU, the simulator's too: ${per((cpu.user + cpu.system) / 1000, resolutions)} ms per resolution, ${per(cpu.user + cpu.system, counts.requestsHeard)} us per request heard`,
    ],
  };
}

/** Takes from one source, so many at a time. */
async function inParallel<T>(count: number, all: Iterator<T>, take: (one: T) => Promise<void>): Promise<void> {
  const rest = { [Symbol.iterator]: () => all };
  const worker = async (): Promise<void> => {
    for (const one of rest) await take(one);
  };
  await Promise.all(Array.from({ length: count }, worker));
}

/** How far away those are that a host asks for: all over the fabric. */
function steps(hosts: number, asked: number): readonly number[] {
  return Array.from({ length: asked }, (_, n) => 1 + Math.floor((n * (hosts - 1)) / asked));
}

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

function expectAll(isSo: boolean): void {
  if (!isSo) throw new Error("not all endpoints are ready");
}

import type { Resolver } from "@verbena/core";
import { fatTree } from "@verbena/fabric-sim";
import { Fleet } from "./fleet.js";

/** How late the SA answers, so that questions meet there. */
const SA_DELAY_MS = 20;

export interface StormOptions {
  readonly daemons: number;
  readonly prefetch: "port" | "none";
  /** `sa.depth`; the default is that of the daemon. */
  readonly saDepth?: number;
}

/** What the SA saw of a start-up storm. */
export interface StormFigures {
  /** Resolutions asked for: every daemon wants all others at once. */
  readonly pairs: number;
  /** Of them, those with the LID that the fabric has. */
  readonly right: number;
  /** Queries of the SA by attribute and method, all daemons together: Get and GetTable. */
  readonly queries: Readonly<Record<string, number>>;
  /** Most queries of one daemon. */
  readonly mostOfOne: number;
  /** Most queries of one daemon that waited for their answer at once, as the SA counts them. */
  readonly peakOpen: number;
  readonly tookMs: number;
}

/** Starts engines on all hosts and asks each for all others at once. */
export async function storm({ daemons, prefetch, saDepth }: StormOptions): Promise<StormFigures> {
  await using fleet = await Fleet.start({
    topology: fatTree({ hosts: daemons, leafs: Math.ceil(daemons / 16), spines: 2 }),
  });
  await fleet.sim.request({ op: "sa", mode: "slow", delayMs: SA_DELAY_MS });
  const config = { sa: { timeoutMs: 10_000, ...(saDepth === undefined ? {} : { depth: saDepth }) } };
  const engines: (readonly [node: string, resolver: Resolver])[] = [];
  for (let n = 1; n <= daemons; n++) {
    engines.push([`H${n}`, await fleet.resolver(`H${n}`, { prefetch, config, settleMs: 10_000 })]);
  }
  const hosts = await fleet.hosts();
  const begin = performance.now();
  const answers = await Promise.all(
    engines.flatMap(([node, resolver]) =>
      [...hosts].flatMap(([other, { lid }]) =>
        other === node
          ? []
          : [
              resolver
                .resolve(`node${other.slice(1)}`, { deadlineMs: 60_000 })
                .then(({ paths }) => paths[0]?.dlid === lid && paths[0].slid === hosts.get(node)?.lid),
            ],
      ),
    ),
  );
  const tookMs = performance.now() - begin;
  const { requesters } = await fleet.sim.request({ op: "counters" });
  const queries: Record<string, number> = {};
  let mostOfOne = 0;
  for (const { requests } of requesters) {
    const asked = Object.entries(requests).filter(([what]) => / Get(Table)?$/.test(what));
    for (const [what, count] of asked) queries[what] = (queries[what] ?? 0) + count;
    mostOfOne = Math.max(
      mostOfOne,
      asked.reduce((sum, [, count]) => sum + count, 0),
    );
  }
  return {
    pairs: answers.length,
    right: answers.filter(Boolean).length,
    queries,
    mostOfOne,
    peakOpen: Math.max(...requesters.map(({ peakOpen }) => peakOpen)),
    tookMs,
  };
}

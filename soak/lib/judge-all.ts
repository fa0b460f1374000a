import { setTimeout as sleep } from "node:timers/promises";
import { type Explanation, parseDestination, type Resolver } from "@verbena/core";
import type { Fleet } from "../../packages/cli/test/support/fleet.js";
import type { Asking } from "./asking.js";
import type { FabricHistory } from "./fabric-history.js";
import { type FailureLimits, reasonOf } from "./failure-oracle.js";
import { judge, type OracleLimits } from "./path-oracle.js";

export interface Trial {
  readonly fleet: Fleet;
  readonly history: FabricHistory;
  readonly asking: Asking;
  readonly resolvers: ReadonlyMap<string, Resolver>;
  /** Gets what is wrong, as sentences. */
  readonly problems: string[];
  readonly limits: (node: string) => OracleLimits;
  readonly failureLimits: FailureLimits;
  /** The least share of requests that has an answer; measured, so that an engine that gives up too soon is noticed. */
  readonly leastAnswered: number;
}

/** The end of a run on a fabric that is whole again: all know all, everything closes, and every answer and failure before is judged. */
export async function judgeAll(trial: Trial): Promise<void> {
  const { fleet, history, asking, resolvers, problems } = trial;
  const hosts = await fleet.hosts();
  for (const [node, resolver] of resolvers) {
    await findsAll(node, resolver, hosts, problems);
    await resolver.close();
  }
  asking.stop();
  const programs = (await fleet.status()).programs as readonly {
    readonly hcas: readonly string[];
    readonly agents: number;
  }[];
  for (const { hcas, agents } of programs) {
    // Those of an OpenSM that runs there are its own.
    if (agents > 0 && hcas.some((node) => resolvers.has(node)))
      problems.push(`${agents} agents of ${hcas.join()} are left`);
  }
  await history.stop();
  judgeAnswers(trial);
  judgeFailures(trial);
  problems.push(...asking.problems);
  if (asking.answers.length === 0) problems.push(`no request was answered, so nothing was judged: ${asking.summary()}`);
}

function judgeAnswers({ history, asking, problems, limits }: Trial): void {
  for (const answer of asking.answers) {
    const problem = judge(history, answer, limits(answer.node));
    if (problem === undefined) continue;
    problems.push(`${answer.node} asked for ${answer.destination}, got LID ${answer.path.dlid}: ${problem}`);
  }
}

function judgeFailures({ history, asking, problems, failureLimits, leastAnswered }: Trial): void {
  for (const failure of asking.failures) {
    if (reasonOf(history, failure, failureLimits) !== undefined) continue;
    const { node, destination, code, fromMs, toMs } = failure;
    const took = `after ${Math.round(toMs - fromMs)} ms`;
    problems.push(`${node} asked for ${destination}, got ${code} ${took} without a reason`);
  }
  if (asking.answeredShare < leastAnswered)
    problems.push(`less than ${100 * leastAnswered} % of the requests were answered: ${asking.summary()}`);
}

/** What stood in the way, with the outcome of each provider and query. */
function describe({ error, steps }: Explanation): string {
  const known = steps.map((step) =>
    "providers" in step ? [step.step, step.cache, step.code, step.providers, step.sa] : step,
  );
  return `${String(error)} ${JSON.stringify(known, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value))}`;
}

async function findsAll(
  node: string,
  resolver: Resolver,
  hosts: Awaited<ReturnType<Fleet["hosts"]>>,
  problems: string[],
): Promise<void> {
  for (const [other, { lid }] of hosts) {
    const explained = await resolver.engine.explain({
      destination: parseDestination(`node${other.slice(1)}`),
      client: { id: 1, kind: "embed" },
    });
    const found = explained.answer?.paths[0]?.dlid ?? describe(explained);
    if (found !== lid) problems.push(`at the end ${node} finds ${found} for ${other}, whose LID is ${lid}`);
  }
  // A registration that is renewed may be on its way, and is answered soon.
  for (let wait = 0; wait < 100 && underWay(resolver) > 0; wait++) await sleep(10);
  if (underWay(resolver) > 0) problems.push(`${node} still has ${underWay(resolver)} queries under way`);
}

function underWay({ engine }: Resolver): number {
  return engine.saPorts().reduce((sum, { inFlight, queued }) => sum + inFlight + queued, 0);
}

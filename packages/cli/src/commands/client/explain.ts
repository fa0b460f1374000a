import {
  type ExplainJson,
  type ExplainStepJson,
  formatDestination,
  type ProviderStepJson,
  parseDestination,
  type SaStepJson,
} from "@verbena/core/client";
import { MgmtClass, madAttributeName, madStatusText } from "@verbena/ib";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { wholeNumber } from "../../numbers.js";
import { describeRoute } from "./describe-route.js";
import { pathTable } from "./resolve.js";
import { notOffered, type ServiceOptions, withService } from "./service.js";

export interface ExplainCommandOptions extends ServiceOptions {
  readonly source?: string;
  readonly timeout?: string;
  readonly paths?: string;
  /** False with `--no-route`. */
  readonly route?: boolean;
}

/** Resolves one destination and prints each step; what cannot be resolved is explained too, with exit status 1. */
export async function explainCommand(destination: string, options: ExplainCommandOptions, io: Io): Promise<ExitCode> {
  const { source, timeout, paths, route = true } = options;
  const request = {
    destination: formatDestination(parseDestination(destination)),
    ...(source === undefined ? {} : { source: formatDestination(parseDestination(source)) }),
    ...(timeout === undefined ? {} : { deadlineMs: wholeNumber("--timeout", timeout) }),
    ...(paths === undefined ? {} : { maxPaths: wholeNumber("--paths", paths) }),
    route,
  };
  const explained = await withService(options, ({ kind, client }) => {
    if (kind === "acm") throw notOffered("explanations");
    return client.explain(request);
  });
  io.out(options.json === true ? `${JSON.stringify(explained)}\n` : await describeExplanation(explained));
  return explained.error === undefined ? EXIT.OK : EXIT.FAILED;
}

/** The steps, one a line, what belongs to a step indented below it; then the paths, or what went wrong. */
export async function describeExplanation(explained: ExplainJson): Promise<string> {
  const { destination, requestId, tookMs, steps, answer, route, error } = explained;
  const outcome = error === undefined ? "resolved" : "not resolved";
  const lines = [
    `${destination}: ${outcome} in ${time(tookMs)}  (request ${requestId})`,
    ...steps.flatMap(describeStep),
    ...(error === undefined ? [] : [`${error.message} [${error.code}]`]),
    ...(error?.hint === undefined ? [] : [`hint: ${error.hint}`]),
  ];
  const text = `${lines.join("\n")}\n`;
  const table = answer === undefined ? "" : await pathTable(answer.paths);
  return text + table + (route === undefined ? "" : describeRoute(route));
}

function describeStep(step: ExplainStepJson): string[] {
  switch (step.step) {
    case "endpoint": {
      const chosen = step.chosenSource === undefined ? "" : `, source ${step.chosenSource} chosen`;
      const what =
        step.endpoint === undefined
          ? `none: ${step.code ?? "failed"}`
          : `${step.endpoint.key} (${step.state ?? "unknown"})${chosen}`;
      return [`  endpoint  ${what}  ${time(step.tookMs)}`];
    }
    case "address":
    case "route":
      return [
        `  ${step.step.padEnd(8)}  ${step.about}: ${CACHE[step.cache]}${life(step)}  ${time(step.tookMs)}`,
        ...step.providers.map((provider) => `    ${describeProvider(provider)}`),
        ...step.sa.map((query) => `    ${describeSa(query)}`),
      ];
    case "own":
      return [`  own       ${step.about} is an address of this host: nobody is asked`];
    case "restart":
      return ["  restart   the endpoint changed meanwhile; from the beginning"];
    default:
      return step satisfies never;
  }
}

const CACHE: Readonly<Record<Extract<ExplainStepJson, { step: "address" | "route" }>["cache"], string>> = {
  hit: "cached",
  due: "cached, and refreshed in the background",
  kept: "kept from before a change of the subnet manager, not confirmed since",
  file: "known from a file",
  negative: "remembered as failed",
  joined: "being looked up already",
  miss: "not cached, providers asked",
};

function life(step: Extract<ExplainStepJson, { step: "address" | "route" }>): string {
  const { provider, ageMs, expiresInMs, code } = step;
  const failed = code === undefined ? "" : `; ${code}`;
  if (provider === undefined || ageMs === undefined) return failed;
  const end = expiresInMs === undefined ? "never expires" : `expires in ${time(expiresInMs)}`;
  return ` (from ${provider}, ${time(ageMs)} old, ${end})${failed}`;
}

function describeProvider({ provider, outcome, tookMs, detail }: ProviderStepJson): string {
  return `provider ${provider}: ${outcome}${detail === undefined ? "" : ` (${detail})`}  ${time(tookMs)}`;
}

function describeSa({ method, attributeId, outcome, status, tookMs }: SaStepJson): string {
  const code = status === undefined || status === 0 ? "" : `, ${saStatus(status)}`;
  return `SA ${method} ${madAttributeName(MgmtClass.SUBN_ADM, attributeId)}: ${outcome}${code}  ${time(tookMs)}`;
}

/** `status 0x0300 (no records)`: the number is what logs and `saquery` show. */
function saStatus(status: number): string {
  const number = `0x${status.toString(16).padStart(4, "0")}`;
  const words = madStatusText(MgmtClass.SUBN_ADM, status);
  return words === number ? `status ${number}` : `status ${number} (${words})`;
}

function time(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

import { type ControlClient, formatDestination, type GroupCheckJson, parseDestination } from "@verbena/core/client";
import { VerbenaError } from "@verbena/ib";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { wholeNumber } from "../../numbers.js";
import { notOffered, type ServiceOptions, withService } from "../client/service.js";
import { knownHosts } from "./known-hosts.js";

export interface CheckOptions extends ServiceOptions {
  readonly source?: string;
  readonly timeout?: string;
}

/** A destination that could not be checked. */
interface Unchecked {
  readonly destination: string;
  readonly error: { readonly code: string; readonly message: string };
  readonly isUsable: false;
}

type Checked = GroupCheckJson | Unchecked;

/** What the daemon takes. */
const TIMEOUT_MS = { from: 1, to: 600_000 } as const;
/** Known hosts that are looked at when none is named: each costs the SA two queries. */
const MAX_KNOWN = 64;

/** Says for each destination whether `route_prot acm` may be used. Status 1 if it may not for one of them, or one cannot be found. */
export async function checkMulticast(words: readonly string[], options: CheckOptions, io: Io): Promise<ExitCode> {
  const { source, timeout } = options;
  const more = {
    ...(source === undefined ? {} : { source: formatDestination(parseDestination(source)) }),
    ...(timeout === undefined ? {} : { deadlineMs: wholeNumber("--timeout", timeout, TIMEOUT_MS) }),
  };
  const named = words.map((word) => formatDestination(parseDestination(word)));
  const checks = await withService(options, async ({ kind, client }) => {
    if (kind === "acm") throw notOffered("a comparison of paths");
    const wanted = named.length > 0 ? named : await someHosts(client);
    const found: Checked[] = [];
    // One after the other: the SA is asked past all caches.
    for (const destination of wanted) found.push(await check(client, { destination, ...more }));
    return found;
  });
  const isUsable = checks.every((one) => one.isUsable);
  io.out(options.json === true ? `${JSON.stringify({ isUsable, checks })}\n` : describe(checks));
  return isUsable ? EXIT.OK : EXIT.FAILED;
}

async function check(client: ControlClient, request: Parameters<ControlClient["checkGroups"]>[0]): Promise<Checked> {
  try {
    return await client.checkGroups(request);
  } catch (error) {
    // Without a daemon there is nothing to go on with; what one destination lacks, another may have.
    if (!VerbenaError.is(error) || error.code.startsWith("VERBENA_CLIENT_")) throw error;
    const { code, message } = error;
    const { text: destination } = parseDestination(request.destination);
    return { destination, error: { code, message }, isUsable: false };
  }
}

/** Throws VERBENA_CLI_USAGE_ARGUMENT when there is none. */
async function someHosts(client: ControlClient): Promise<readonly string[]> {
  const { entries } = await client.cache();
  const known = knownHosts(entries, MAX_KNOWN);
  if (known.length > 0) return known;
  throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what: "no other host is known yet: name one or more" } });
}

function describe(checks: readonly Checked[]): string {
  return checks.flatMap((one) => describeOne(one).map((line) => `${line}\n`)).join("");
}

function describeOne(one: Checked): readonly string[] {
  const { destination, isUsable } = one;
  if ("error" in one) return [`${destination}: not checked: ${one.error.message} [${one.error.code}]`];
  const where = `(${one.endpoint.key} to ${one.gid})`;
  const judged = one.groups.filter(({ mgid }) => mgid === one.group);
  const others = one.groups.filter(({ mgid }) => mgid !== one.group);
  return [
    `${destination}: route_prot acm ${isUsable ? "may" : "must not"} be used  ${where}`,
    ...(one.groups.length === 0 ? ["  no multicast group is joined"] : []),
    ...judged.flatMap(({ mgid, problems }) => problems.map((problem) => `  group ${mgid}: ${problem}`)),
    ...others.flatMap(({ mgid, problems }) => problems.map((problem) => `  not used, group ${mgid}: ${problem}`)),
  ];
}

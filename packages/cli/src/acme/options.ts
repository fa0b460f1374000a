import { atoi } from "./atoi.js";
import { getopt } from "./getopt.js";

/** How addresses are to be read: IP, name, LID or GID. Absent: each is looked at. */
export type AddressFormat = "i" | "n" | "l" | "g";

/** The command line of `ib_acme`. */
export interface AcmeOptions {
  readonly source?: string;
  readonly destination?: string;
  readonly format?: AddressFormat;
  readonly verify: boolean;
  readonly noDelay: boolean;
  readonly repetitions: number;
  readonly listsEndpoints: boolean;
  /** Endpoint of `-e N` and `-P N`, whichever came last; 0 = all. */
  readonly endpointIndex: number;
  readonly perf?: "row" | "column" | "every" | "address";
  /** Bracket list of Unix socket paths and hosts. */
  readonly service?: string;
  readonly makesAddresses: boolean;
  readonly makesOptions: boolean;
  readonly addressFile: string;
  readonly optionsFile: string;
  readonly directory?: string;
  readonly verbose: boolean;
}

/** Options to go on with, or the usage to show, after a complaint about an option. */
export type ParsedOptions = { readonly options: AcmeOptions } | { readonly complaint?: string };

const SPEC = "e::f:s:d:vcA::O::D:P::S:C:V";

type Draft = { -readonly [Name in keyof AcmeOptions]: AcmeOptions[Name] };

/** Reads the command line as `ib_acme` does, optional arguments in words of their own included. */
export function parseOptions(args: readonly string[], isPosix = false): ParsedOptions {
  const draft: Draft = {
    verify: false,
    noDelay: false,
    repetitions: 1,
    listsEndpoints: false,
    endpointIndex: 0,
    makesAddresses: false,
    makesOptions: false,
    addressFile: "ibacm_addr.cfg",
    optionsFile: "ibacm_opts.cfg",
    verbose: false,
  };
  for (const found of getopt(args, SPEC, isPosix)) {
    if ("error" in found) return { complaint: complain(found.error, found.option) };
    // An optional argument may stand in the next word, if that does not look like an option.
    const optional = found.value ?? (found.next?.startsWith("-") === true ? undefined : found.next);
    if (!take(draft, found.option, found.value ?? "", optional)) return {};
  }
  return isComplete(draft) ? { options: draft } : {};
}

function complain(error: "unknown" | "no-argument", option: string): string {
  return error === "unknown" ? `invalid option -- '${option}'` : `option requires an argument -- '${option}'`;
}

/** Notes one option; false asks for the usage. */
function take(draft: Draft, option: string, value: string, optional: string | undefined): boolean {
  switch (option) {
    case "e":
      draft.listsEndpoints = true;
      if (optional !== undefined) draft.endpointIndex = atoi(optional);
      return true;
    case "f":
      return takeFormat(draft, value[0] ?? "");
    case "s":
      draft.source = value;
      return true;
    case "d":
      draft.destination = value;
      return true;
    case "v":
      draft.verify = true;
      return true;
    case "c":
      draft.noDelay = true;
      return true;
    case "P":
      takePerf(draft, optional);
      return true;
    case "S":
      draft.service = value;
      return true;
    case "C":
      draft.repetitions = atoi(value) || 1;
      return true;
    case "A":
      draft.makesAddresses = true;
      if (optional !== undefined) draft.addressFile = optional;
      return true;
    case "O":
      draft.makesOptions = true;
      if (optional !== undefined) draft.optionsFile = optional;
      return true;
    case "D":
      draft.directory = value;
      return true;
    default:
      draft.verbose = true;
      return true;
  }
}

/** The documented `u` is refused, as `ib_acme` refuses it. */
function takeFormat(draft: Draft, letter: string): boolean {
  if (letter !== "i" && letter !== "n" && letter !== "l" && letter !== "g") return false;
  draft.format = letter;
  return true;
}

function takePerf(draft: Draft, argument: string | undefined): void {
  const word = argument?.slice(0, 3).toLowerCase();
  if (word === "col") draft.perf = "column";
  else if (word === "all") draft.perf = "every";
  else if (argument === "s") draft.perf = "address";
  else {
    draft.perf = "row";
    if (argument !== undefined) draft.endpointIndex = atoi(argument);
  }
}

function isComplete({ source, destination, perf, listsEndpoints, makesAddresses, makesOptions }: Draft): boolean {
  if (perf === "address" && source === undefined) return false;
  if (source !== undefined && destination === undefined && perf !== "address") return false;
  return destination !== undefined || perf !== undefined || listsEndpoints || makesAddresses || makesOptions;
}

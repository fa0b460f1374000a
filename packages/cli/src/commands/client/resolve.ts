import {
  type AcmAddressInput,
  type AcmClient,
  type ControlClient,
  encodePath,
  type PathJson,
  parseDestination,
} from "@verbena/core/client";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { wholeNumber } from "../../numbers.js";
import { renderTable } from "../../output/table.js";
import { type ServiceOptions, withService } from "./service.js";

export interface ResolveCommandOptions extends ServiceOptions {
  readonly source?: string;
  readonly delay: boolean;
  readonly timeout?: string;
  readonly paths?: string;
}

/** What both doors can tell. */
interface Resolved {
  readonly paths: readonly PathJson[];
  readonly chosenSource?: string;
  /** `address sa (provider), route sa (cache)`; only the control socket knows. */
  readonly origin?: string;
}

/** Resolves one destination and prints its paths. */
export async function resolveCommand(destination: string, options: ResolveCommandOptions, io: Io): Promise<ExitCode> {
  const resolved = await withService(options, ({ kind, client }) =>
    kind === "control" ? viaControl(client, destination, options) : viaAcm(client, destination, options),
  );
  io.out(options.json === true ? `${JSON.stringify(resolved)}\n` : describe(destination, resolved as Resolved));
  return EXIT.OK;
}

async function viaControl(client: ControlClient, destination: string, options: ResolveCommandOptions): Promise<object> {
  const answer = await client.resolve({
    destination,
    noDelay: !options.delay,
    ...(options.source === undefined ? {} : { source: options.source }),
    ...(options.timeout === undefined ? {} : { deadlineMs: wholeNumber("--timeout", options.timeout) }),
    ...(options.paths === undefined ? {} : { maxPaths: wholeNumber("--paths", options.paths) }),
  });
  const { address, route } = answer.provenance;
  const steps = [
    ...(address === undefined ? [] : [`address ${address.provider} (${address.from})`]),
    `route ${route.provider} (${route.from})`,
  ];
  return { ...answer, origin: steps.join(", ") };
}

async function viaAcm(client: AcmClient, text: string, options: ResolveCommandOptions): Promise<Resolved> {
  const destination = parseDestination(text);
  const call = {
    noDelay: !options.delay,
    ...(options.timeout === undefined ? {} : { deadlineMs: wholeNumber("--timeout", options.timeout) }),
  };
  if (destination.kind === "gid" || destination.kind === "lid") {
    const source = options.source === undefined ? undefined : parseDestination(options.source);
    const { path } = await client.resolvePath({
      ...call,
      ...(destination.kind === "gid" ? { dgid: destination.gid } : { dlid: destination.lid }),
      ...(source?.kind === "gid" ? { sgid: source.gid } : {}),
      ...(source?.kind === "lid" ? { slid: source.lid } : {}),
    });
    return { paths: [encodePath(path)] };
  }
  const { path, source } = await client.resolve({
    ...call,
    destination: addressInput(text),
    ...(options.source === undefined ? {} : { source: addressInput(options.source) }),
  });
  return { paths: [encodePath(path)], ...(source === undefined ? {} : { chosenSource: source }) };
}

function addressInput(text: string): AcmAddressInput {
  const parsed = parseDestination(text);
  switch (parsed.kind) {
    case "ip":
      return { ip: parsed.address };
    case "name":
      return { name: parsed.text };
    case "gid":
      return { gid: parsed.gid };
    case "lid":
      return { lid: parsed.lid };
    default:
      return parsed satisfies never;
  }
}

/** The columns that tell one path from another. */
export function pathTable(paths: readonly PathJson[]): string {
  return renderTable(
    ["DGID", "DLID", "SGID", "SLID", "P_Key", "SL", "MTU", "rate", "reversible"],
    paths.map((path) => [
      path.dgid,
      String(path.dlid),
      path.sgid,
      String(path.slid),
      path.pkey,
      String(path.sl),
      path.mtuBytes === undefined ? `code ${String(path.mtu)}` : String(path.mtuBytes),
      path.rateGbps === undefined ? `code ${String(path.rate)}` : `${String(path.rateGbps)} Gb/s`,
      path.reversible ? "yes" : "no",
    ]),
  );
}

function describe(destination: string, { paths, chosenSource, origin }: Resolved): string {
  const notes = [
    ...(chosenSource === undefined ? [] : [`source ${chosenSource}`]),
    ...(origin === undefined ? [] : [origin]),
  ];
  return `${destination}${notes.length === 0 ? "" : `  (${notes.join("; ")})`}\n${pathTable(paths)}`;
}

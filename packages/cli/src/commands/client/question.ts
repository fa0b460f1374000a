import {
  type AcmAddressInput,
  type AcmClient,
  type ControlClient,
  encodePath,
  formatDestination,
  type PathJson,
} from "@verbena/core/client";
import type { Destination } from "@verbena/core/sdk";
import { notOffered } from "./service.js";

/** One resolution, read and checked before anybody is asked. */
export interface Question {
  readonly destination: Destination;
  readonly source?: Destination;
  readonly noDelay: boolean;
  readonly deadlineMs?: number;
  readonly maxPaths?: number;
}

/** What both doors can tell. */
export interface Resolved {
  readonly paths: readonly PathJson[];
  readonly chosenSource?: string;
  /** `address sa (provider), route sa (cache)`; only the control socket knows. */
  readonly origin?: string;
}

/** Asks a Verbena daemon; all it tells goes into `--json`. */
export async function askControl(client: ControlClient, question: Question): Promise<Resolved> {
  const { destination, source, ...rest } = question;
  const answer = await client.resolve({
    ...rest,
    destination: formatDestination(destination),
    ...(source === undefined ? {} : { source: formatDestination(source) }),
  });
  const { address, route } = answer.provenance;
  const steps = [
    ...(address === undefined
      ? []
      : [`address ${address.provider} (${address.from}${address.isUnconfirmed === true ? ", not confirmed" : ""})`]),
    `route ${route.provider} (${route.from})`,
  ];
  return { ...answer, origin: steps.join(", ") };
}

/** Asks a daemon that has only the ACM socket. It gives one path, whatever was asked for. */
export async function askAcm(client: AcmClient, question: Question): Promise<Resolved> {
  const { destination, source, noDelay, deadlineMs } = question;
  const call = { noDelay, ...(deadlineMs === undefined ? {} : { deadlineMs }) };
  if (destination.kind === "gid" || destination.kind === "lid") {
    if (source?.kind === "name" || source?.kind === "ip") {
      throw notOffered("a name or an IP address as the source of a path to a GID or LID");
    }
    const { path } = await client.resolvePath({
      ...call,
      ...(destination.kind === "gid" ? { dgid: destination.gid } : { dlid: destination.lid }),
      ...(source?.kind === "gid" ? { sgid: source.gid } : {}),
      ...(source?.kind === "lid" ? { slid: source.lid } : {}),
    });
    return { paths: [encodePath(path)] };
  }
  const { path, source: chosen } = await client.resolve({
    ...call,
    destination: addressInput(destination),
    ...(source === undefined ? {} : { source: addressInput(source) }),
  });
  return { paths: [encodePath(path)], ...(chosen === undefined ? {} : { chosenSource: chosen }) };
}

function addressInput(destination: Destination): AcmAddressInput {
  switch (destination.kind) {
    case "ip":
      return { ip: destination.address };
    case "name":
      return { name: destination.text };
    case "gid":
      return { gid: destination.gid };
    case "lid":
      return { lid: destination.lid };
    default:
      return destination satisfies never;
  }
}

import type { PKey, SaMad } from "@verbena/ib";
import { PKey as PKeys } from "@verbena/ib";
import type { FabricPort } from "../fabric/port.js";
import type { SubnetManager } from "../sm/subnet-manager.js";
import type { ServiceRegistry } from "./service-registry.js";
import type { ReportAddress, Subscriptions } from "./subscriptions.js";

/** A request as handlers see it. */
export interface SaRequest {
  readonly mad: SaMad;
  /** The port whose LID the request came from. */
  readonly requester: FabricPort;
  /** Where it came from. */
  readonly address: ReportAddress;
  /** The request carries the right SM_Key: memberships may be shown to it. */
  readonly isTrusted: boolean;
}

/** What a handler answers: a status other than 0, with the request's record or one in its place; or encoded records of one size. */
export type SaAnswer = { readonly status: number; readonly record?: Buffer } | SaRecords;

/** Encoded records of one size. */
export interface SaRecords {
  readonly records: readonly Buffer[];
  readonly size: number;
  /** Attribute offset of an answer that is no table, in units of 8 bytes; default: the record's size, rounded up. */
  readonly attributeOffset?: number;
}

/** What the administrator keeps for the ports of the subnet. */
export interface SaState {
  readonly services: ServiceRegistry;
  readonly subscriptions: Subscriptions;
}

/** Answers the requests for one attribute. */
export type SaHandler = (request: SaRequest, sm: SubnetManager, state: SaState) => SaAnswer;

const FULL_DEFAULT = PKeys.DEFAULT;

/** The first P_Key of `a`'s table that the two ports can talk with, as `a` holds it. */
export function commonPkey(a: FabricPort, b: FabricPort): PKey | undefined {
  return a.pkeys.find((one) => b.pkeys.some((other) => PKeys.canTalk(one, other)));
}

/** True if the ports have a partition in common. */
export function sharePartition(a: FabricPort, b: FabricPort): boolean {
  return a === b || (a.pkeys[0] === FULL_DEFAULT && b.pkeys[0] === FULL_DEFAULT) || commonPkey(a, b) !== undefined;
}

/** True if the port is in the partition of `pkey`, fully or limited. */
export function isInPartition(port: FabricPort, pkey: PKey): boolean {
  return port.pkeys.some((one) => PKeys.isValid(one) && PKeys.samePartition(one, pkey));
}

import { Gid, Lid, type VerbenaError } from "@verbena/ib";
import type { NegativeReason } from "../cache/cache-entry.js";
import type { FlightErrors, Waiter } from "../cache/flights.js";
import { coreError } from "../errors.js";
import type { Destination } from "../sdk/destination.js";
import type { Trace } from "./trace.js";

/** One request on its way through the engine. */
export interface Call extends Waiter, FlightErrors {
  readonly requestId: string;
  /** For messages. */
  readonly destination: string;
  /** On the clock, milliseconds. */
  readonly startedAt: number;
  /** The client does not wait for this lookup. */
  readonly noDelay: boolean;
  /** False for a no-delay request itself; true for the lookup it leaves behind, and for every other request. */
  readonly waits: boolean;
  /** Whether the endpoint counts it. Not a lookup left behind, whose request has been counted, nor what goes to the SA as it is. */
  readonly counts: boolean;
  /** As whom the client asks, where that is known. */
  readonly source?: Destination | undefined;
  /** Writes down what happens, for who asked for an explanation. */
  readonly trace?: Trace | undefined;
}

export interface CallOptions {
  readonly requestId: string;
  readonly destination: string;
  readonly startedAt: number;
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
  readonly noDelay: boolean;
  readonly source?: Destination | undefined;
  readonly trace?: Trace | undefined;
}

export function makeCall(options: CallOptions): Call {
  const { destination } = options;
  return {
    ...options,
    waits: !options.noDelay,
    counts: true,
    timeout: () => coreError("VERBENA_RESOLVE_TIMEOUT", { details: { destination } }),
    aborted: (cause) => coreError("VERBENA_RESOLVE_ABORTED", { details: { destination }, cause }),
  };
}

/** The lookup a no-delay request leaves behind: it waits for itself, until `deadline`. */
export function leftBehind(call: Call, deadline: number): Call {
  return { ...call, deadline, signal: undefined, waits: true, counts: false, trace: undefined };
}

export function noData(destination: string, cause?: unknown): VerbenaError {
  return coreError("VERBENA_RESOLVE_NO_DATA", { details: { destination }, cause });
}

/** The error each request gets for a lookup that failed, now or a moment ago. */
export function failedLookup(reason: NegativeReason, destination: string, cause?: unknown): VerbenaError {
  switch (reason.kind) {
    case "no-data":
      return noData(destination, cause);
    case "timeout":
      return coreError("VERBENA_RESOLVE_TIMEOUT", { details: { destination }, cause });
    case "sa-status": {
      const { saStatus } = reason;
      const status = saStatus.toString(16).padStart(4, "0");
      return coreError("VERBENA_RESOLVE_SA_STATUS", { details: { destination, saStatus, status }, cause });
    }
    default:
      return reason satisfies never;
  }
}

/** How a path request's destination is named in messages. */
export function pathText(request: { readonly dgid: Gid; readonly dlid: Lid }): string {
  return request.dlid === 0 ? Gid.format(request.dgid) : `LID ${Lid.format(request.dlid)}`;
}

/** The endpoint or its port changed while the lookup ran: to be looked up again, under what is there now. Never leaves the engine. */
export class Restart extends Error {
  constructor() {
    super("the endpoint changed");
  }
}

/** A no-delay request found nothing that could be given at once. Never leaves the engine. */
export class NotYet extends Error {
  constructor() {
    super("not known yet");
  }
}

import { ACM_STATUS, VerbenaError } from "@verbena/ib";

/** What a failed request is answered with. */
export interface AcmFailure {
  /** Status byte. */
  readonly status: number;
  /** RESOLVE: the reply carries the ACK bit when the core itself has found the error, not when a lookup has failed. */
  readonly isCoreError: boolean;
}

const core = (status: number): AcmFailure => ({ status, isCoreError: true });
const lookup = (status: number): AcmFailure => ({ status, isCoreError: false });

/** The only table that maps codes of the engine to statuses of the client protocol. */
const FAILURES: Readonly<Record<string, AcmFailure>> = {
  VERBENA_RESOLVE_ABORTED: lookup(ACM_STATUS.ETIMEDOUT),
  VERBENA_RESOLVE_CLOSED: core(ACM_STATUS.ENOTCONN),
  VERBENA_RESOLVE_DESTINATION: core(ACM_STATUS.EDESTADDR),
  VERBENA_RESOLVE_DESTINATION_SYNTAX: core(ACM_STATUS.EDESTADDR),
  VERBENA_RESOLVE_DESTINATION_TYPE: core(ACM_STATUS.EDESTTYPE),
  VERBENA_RESOLVE_NO_DATA: lookup(ACM_STATUS.ENODATA),
  VERBENA_RESOLVE_NO_SOURCE: core(ACM_STATUS.ESRCADDR),
  VERBENA_RESOLVE_NOT_READY: lookup(ACM_STATUS.ENODATA),
  VERBENA_RESOLVE_TIMEOUT: lookup(ACM_STATUS.ETIMEDOUT),
  VERBENA_SA_BREAKER_OPEN: lookup(ACM_STATUS.ETIMEDOUT),
};

/** A request that cannot be served as it stands. */
export const MALFORMED: AcmFailure = core(ACM_STATUS.EINVAL);
/** A fault of our own; the log says which. */
export const INTERNAL: AcmFailure = core(ACM_STATUS.ENOMEM);

/** What `error` is answered with; `undefined` for one that is no business of a client, a fault of our own. */
export function failureOf(error: unknown): AcmFailure | undefined {
  if (!VerbenaError.is(error)) return undefined;
  if (error.code === "VERBENA_RESOLVE_SA_STATUS") return lookup(statusOfMad(saStatusOf(error)) || ACM_STATUS.EINVAL);
  if (error.code === "VERBENA_RESOLVE_NO_ROUTE_TO_SOURCE") {
    // No route, no permission …: the low byte of the errno itself is the status. 0 would read as success.
    return core((error.errno ?? 0) & 0xff || ACM_STATUS.ESRCADDR);
  }
  return FAILURES[error.code];
}

/**
 * Status for a MAD status of the SA: its high byte, where the SA's own codes are. The codes of the low byte (BUSY, unsupported
 * method …) give 0; a QUERY_SA answer carries that with the record as echoed, everything else gives EINVAL instead.
 */
export function statusOfMad(madStatus: number): number {
  return (madStatus >>> 8) & 0xff;
}

function saStatusOf(error: VerbenaError): number {
  const own = (error as { readonly saStatus?: unknown }).saStatus;
  const value = own ?? error.details["saStatus"] ?? error.details["status"];
  return typeof value === "number" ? value : 0;
}

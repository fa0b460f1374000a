import { Gid, Lid, NetlinkPathUse, type NetlinkResolveRequest, PKey } from "@verbena/ib";
import type { ClientIdentity, EndpointIdentity, EndpointStatus, PathRequest } from "../engine/contract.js";

/** Paths that a kernel takes for the use ALL (Linux 6.2 and later); for every other use it takes one. */
export const MAX_KERNEL_PATHS = 3;

/** The 12 bits of a QoS class; the SL that shares its 16 bits on the wire is no part of the kernel's attribute. */
const QOS_CLASS_MASK = 0xfff;

/** How long the request may take, and on whose account it goes. */
export interface PathQueryContext {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly client: ClientIdentity;
  /** Of the engine: they say which GID the device and port of a request without SGID have. */
  readonly endpoints: () => readonly EndpointStatus[];
}

/**
 * What the engine is asked for a RESOLVE of the kernel; `undefined` if it names no destination. A path for one direction is wanted for
 * UNIDIRECTIONAL, one for both otherwise. Device and port choose the source where the kernel names no SGID; ibacm does not look at them.
 */
export function pathRequestOf(
  request: NetlinkResolveRequest,
  { deadlineMs, signal, client, endpoints }: PathQueryContext,
): PathRequest | undefined {
  const { dgid, sgid, serviceId, tclass, pkey, qosClass } = request.query;
  if (dgid === undefined || dgid === Gid.zero) return undefined;
  const wanted = pkey ?? PKey.zero;
  const qos = (qosClass ?? 0) & QOS_CLASS_MASK;
  return {
    dgid,
    sgid: sgid ?? endpoints().find((endpoint) => isOn(endpoint, request, wanted))?.gid ?? Gid.zero,
    dlid: Lid.zero,
    slid: Lid.zero,
    pkey: wanted,
    ...(serviceId === undefined || serviceId === 0n ? {} : { serviceId }),
    ...(tclass === undefined || tclass === 0 ? {} : { trafficClass: tclass }),
    ...(qos === 0 ? {} : { qosClass: qos }),
    reversible: request.pathUse !== NetlinkPathUse.UNIDIRECTIONAL,
    maxPaths: request.pathUse === NetlinkPathUse.ALL ? MAX_KERNEL_PATHS : 1,
    deadlineMs,
    signal,
    client,
  };
}

function isOn(endpoint: EndpointIdentity, { device, port }: NetlinkResolveRequest, pkey: PKey): boolean {
  return (
    endpoint.device === device &&
    endpoint.port === port &&
    (pkey === PKey.zero || PKey.samePartition(endpoint.pkey, pkey))
  );
}

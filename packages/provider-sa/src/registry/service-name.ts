import { createHash } from "node:crypto";
import type { Destination, LocalAddress } from "@verbena/core/sdk";

/** Bytes of a ServiceName that are text; the 64th ends it. */
export const SERVICE_NAME_LIMIT = 63;

/**
 * First three bytes of every ServiceID of ours. 0x02 is the range whose numbers the host's system software administers by itself (IBA
 * annex A3); no manager of connections listens under these, they only keep the registrations of one port apart. `V`, `R` mark them as ours.
 */
const SERVICE_ID_PREFIX = 0x02_56_52n;
const HASH_BYTES = 5;

/**
 * ServiceName of an address in the SA: `verbena:ip:192.0.2.7`, `verbena:ip:2001:db8::7` (RFC 5952) or `verbena:name:node7` (lower case).
 * `undefined` for what cannot be registered: GIDs and LIDs, names of more than 50 bytes.
 */
export function serviceNameOf(address: Destination | LocalAddress): string | undefined {
  const text = textOf(address);
  return text === undefined || Buffer.byteLength(text) > SERVICE_NAME_LIMIT ? undefined : text;
}

/**
 * ServiceID of a ServiceName: 0x025652, then the first 40 bits of the name's SHA-256. A registration is known to the SA by ServiceID, GID
 * and P_Key, so each address of a port needs one of its own.
 */
export function serviceIdOf(serviceName: string): bigint {
  const hash = createHash("sha256").update(serviceName).digest().readUIntBE(0, HASH_BYTES);
  return (SERVICE_ID_PREFIX << BigInt(8 * HASH_BYTES)) | BigInt(hash);
}

function textOf(address: Destination | LocalAddress): string | undefined {
  switch (address.kind) {
    case "ip":
      return `verbena:ip:${address.address}`;
    case "name":
      return `verbena:name:${address.name}`;
    case "gid":
    case "lid":
      return undefined;
    default:
      return address satisfies never;
  }
}

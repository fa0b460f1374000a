import { invalid } from "./ends.js";
import type { RdsPayload } from "./types.js";

/**
 * The bytes of a message in one piece or in parts. Throws `VERBENA_RDS_EINVAL` for anything else: what has no length in bytes would upset the
 * accounts of the whole stack.
 */
export function payloadOf(data: RdsPayload | readonly RdsPayload[]): Uint8Array | readonly Uint8Array[] {
  return Array.isArray(data) ? data.map(bytesOf) : bytesOf(data as RdsPayload);
}

function bytesOf(data: RdsPayload): Uint8Array {
  if (data instanceof Uint8Array) return data;
  if (typeof data === "string") return Buffer.from(data);
  throw invalid(`a message is made of Uint8Array and text, not of ${describe(data)}`);
}

const describe = (data: unknown): string =>
  typeof data === "object" && data !== null ? data.constructor.name : String(data);

import { Gid, PKey } from "@verbena/ib";
import type { AddressEvent } from "../api/addresses.js";
import { nativeError } from "../errors.js";

/** Request that makes the fabric list the addresses of a node and then report every change. */
export function encodeWatchRequest(node: string): string {
  return `${JSON.stringify({ op: "addresses", node, watch: true })}\n`;
}

/**
 * One line of the fabric's control socket. `undefined` for kinds of messages this version does not know. Throws
 * `VERBENA_NATIVE_CONTROL` for what cannot be understood.
 */
export function parseFabricLine(line: string, socket: string): AddressEvent | undefined {
  const bad = (reason: string): Error => nativeError("VERBENA_NATIVE_CONTROL", { details: { socket, reason } });
  let message: Readonly<Record<string, unknown>>;
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed !== "object" || parsed === null) throw bad("not an object");
    message = parsed as Readonly<Record<string, unknown>>;
  } catch {
    throw bad(`no JSON object: ${line.slice(0, 100)}`);
  }
  if (message["type"] === "synced") return { type: "synced" };
  if (message["type"] === "error") throw bad(errorText(message));
  if (message["type"] !== "address") return undefined;
  const { event, gid, address, prefixLength, pkey } = message;
  const parsedGid = typeof gid === "string" ? Gid.tryParse(gid) : undefined;
  const parsedPkey = typeof pkey === "string" ? PKey.tryParse(pkey) : undefined;
  if (
    parsedGid === undefined ||
    parsedPkey === undefined ||
    typeof address !== "string" ||
    typeof prefixLength !== "number"
  ) {
    throw bad(`incomplete address: ${line.slice(0, 200)}`);
  }
  if (event !== "add" && event !== "del") return undefined;
  return {
    type: event === "add" ? "added" : "removed",
    address: { address, prefixLength, gid: parsedGid, pkey: parsedPkey },
  };
}

function errorText(message: Readonly<Record<string, unknown>>): string {
  const text = message["message"] ?? message["error"] ?? message["code"];
  return typeof text === "string" ? text : JSON.stringify(message);
}

import type { FrontEndEvent } from "../api/front-end.js";
import { IS_LITTLE, readHost32 } from "../host-order.js";

/** Kind, bytes behind the words, client (low, high), two words of the kind's own. */
const HEAD_SIZE = 24;
const TWO_TO_32 = 0x1_0000_0000;
const INCOMPLETE = 1;
const STALLED = 2;

/** Why a client has gone, by number. */
const REASONS = [
  "client has gone",
  "malformed message (version)",
  "malformed message (opcode)",
  "malformed message (length)",
  "does not read its replies",
  "server closed",
] as const;

/** Events of a batch as the addon packs them, in order. Messages are views of the batch. Kinds that are not known are left out. */
export function readEvents(batch: Buffer): readonly FrontEndEvent[] {
  const events: FrontEndEvent[] = [];
  for (let at = 0; at + HEAD_SIZE <= batch.length; ) {
    const size = readHost32(batch, at + 4);
    const body = batch.subarray(at + HEAD_SIZE, at + HEAD_SIZE + size);
    const event = readEvent(batch, at, body);
    if (event !== undefined) events.push(event);
    at += HEAD_SIZE + Math.ceil(size / 4) * 4;
  }
  return events;
}

function readEvent(batch: Buffer, at: number, body: Buffer): FrontEndEvent | undefined {
  const client = readHost32(batch, at + 8) + readHost32(batch, at + 12) * TWO_TO_32;
  const a = readHost32(batch, at + 16);
  const b = readHost32(batch, at + 20);
  switch (readHost32(batch, at)) {
    case 1:
      return { type: "opened", client, ...identityOf(a === 1, b | 0, Number(readHostInt64(body))) };
    case 2:
      return { type: "request", client, message: body };
    case 3:
      return {
        type: "state",
        client,
        isIncomplete: (a & INCOMPLETE) !== 0,
        messages: b,
        isStalled: (a & STALLED) !== 0,
        heldBytes: Number(readHostInt64(body)),
      };
    case 4:
      return { type: "gone", client, reason: REASONS[a] ?? `reason ${String(a)}` };
    case 5:
      return { type: "refused", reason: a === 1 ? "clients" : "descriptors", count: b };
    case 6:
      return { type: "failed", errno: a };
    case 7:
      return { type: "empty" };
    case 8:
      return { type: "hits" };
    default:
      return undefined;
  }
}

/** A client as others know it; -1 stands for a number that there is none of. */
export function identityOf(
  isUnix: boolean,
  pid: number,
  uid: number,
): { readonly kind: "unix" | "tcp"; readonly pid?: number; readonly uid?: number } {
  const kind = isUnix ? "unix" : "tcp";
  return pid < 0 || uid < 0 ? { kind } : { kind, pid, uid };
}

function readHostInt64(bytes: Buffer): bigint {
  return IS_LITTLE ? bytes.readBigInt64LE(0) : bytes.readBigInt64BE(0);
}

import type { ProviderEvent } from "@verbena/core/sdk";
import { type AcmMad, decodeAcmMad, Gid } from "@verbena/ib";
import { addressKey, decodeAddress } from "../wire/acm-address.js";
import type { DropReason, Sender } from "../wire/packet.js";

type Fields = Record<string, string | number | boolean>;

/** What this endpoint knew when a message came in. */
export interface HeardWith {
  /** The group both are in, whose parameters an answer uses; absent where there is none. */
  readonly group: Gid | undefined;
  /** Since what is remembered of the one who asks was heard, milliseconds; absent for who is new. */
  readonly ageMs: number | undefined;
  /** It is asked of this endpoint. */
  readonly isOurs: boolean;
}

/**
 * A request or an announcement (which asks for the asker's own address), as `multicast watch` shows it. Addresses are texts; what cannot be read is left out.
 * `groups`: those the asker lists, least preferred first, with spaces between.
 */
export function requestHeard(mad: AcmMad, from: Sender, { group, ageMs, isOurs }: HeardWith): ProviderEvent {
  return {
    ...question(mad),
    way: "in",
    ...senderFields(from),
    ...(group === undefined ? {} : { group: Gid.format(group) }),
    ...(ageMs === undefined ? {} : { ageMs: Math.round(ageMs) }),
    isOurs,
  };
}

/** A response. `wanted`: what had been asked for; absent where nobody remembers. */
export function responseHeard(mad: AcmMad, from: Sender, wanted: string | undefined): ProviderEvent {
  return {
    ...answer(mad),
    way: "in",
    ...(wanted === undefined ? {} : { wanted }),
    ...senderFields(from),
  };
}

/** A request or announcement of this endpoint, 256 bytes as they were sent to the base group, or with `to` to one peer alone. */
export function requestSent(message: Buffer, to?: Sender): ProviderEvent {
  return { ...question(decodeAcmMad(message)), way: "out", ...(to === undefined ? {} : senderFields(to)) };
}

/** A response of this endpoint, 256 bytes. */
export function responseSent(message: Buffer, to: Sender): ProviderEvent {
  return { ...answer(decodeAcmMad(message)), way: "out", ...senderFields(to) };
}

/** A datagram that is no message of the protocol. */
export function datagramDropped(reason: DropReason): ProviderEvent {
  return { type: "dropped", way: "in", reason };
}

/** An address that two hosts claim. */
export function duplicateFound(address: string, first: Gid, second: Gid): ProviderEvent {
  return { type: "duplicate", address, first: Gid.format(first), second: Gid.format(second) };
}

function question(mad: AcmMad): ProviderEvent {
  const source = decodeAddress({ type: mad.srcType, info: mad.srcAddress });
  const wanted = decodeAddress({ type: mad.destType, info: mad.destAddress });
  const isOwn = source !== undefined && wanted !== undefined && addressKey(source) === addressKey(wanted);
  return {
    type: isOwn ? "announcement" : "request",
    tid: tidText(mad),
    ...(source === undefined ? {} : { source: source.text }),
    ...(wanted === undefined ? {} : { wanted: wanted.text }),
    groups: mad.gids.map((gid) => Gid.format(gid)).join(" "),
  };
}

function answer(mad: AcmMad): ProviderEvent {
  const [group] = mad.gids;
  return {
    type: "response",
    tid: tidText(mad),
    status: mad.status >>> 8,
    ...(group === undefined ? {} : { group: Gid.format(group) }),
  };
}

function senderFields({ gid, lid, qpn }: Sender): Fields {
  return { gid: Gid.format(gid), lid, qpn };
}

function tidText({ tid }: AcmMad): string {
  return `0x${tid.toString(16).padStart(16, "0")}`;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Gid } from "@verbena/ib";
import { vector } from "../../packages/ib/test/vectors.js";
import { addressesOf } from "./acm-node.js";
import type { SentPacket } from "./acm-packets.js";

/** The fabric the vectors were recorded on, as a topology. */
export const RECORDED_NET = readFileSync(join(__dirname, "recorded.net"), "utf8");

/** Options of the recording with two multicast groups. */
export const TWO_GROUPS = ["route_prot acm", "min_rate 2", "min_mtu 1024"] as const;

/** What each host of the recording is called, and has for addresses. */
export function recordedAddresses(host: number): readonly string[] {
  return [`node${host}`, ...addressesOf(host).slice(1)];
}

const RESPONSE = 0x81;
const SET = 0x02;
const METHOD_AT = 3;
const ATTRIBUTE_AT = 16;
const MC_MEMBER_RECORD = 0x38;

export function isResponse({ mad }: SentPacket): boolean {
  return mad[METHOD_AT] === RESPONSE;
}

/** Of the subnet administrator's class: a port wants to join a group, or is answered. */
export function isJoin({ mad }: SentPacket): boolean {
  const method = mad[METHOD_AT];
  return mad.readUInt16BE(ATTRIBUTE_AT) === MC_MEMBER_RECORD && (method === SET || method === RESPONSE);
}

/** Addresses and keys of a packet. */
export function headers({ lrh, grh, bth, deth }: SentPacket) {
  return {
    ...{ slid: lrh.slid, dlid: lrh.dlid, sl: lrh.sl, pkey: bth.pkey, destQpn: bth.destQpn, qkey: deth?.qkey },
    ...(grh === undefined ? {} : { sgid: Gid.format(grh.sgid), dgid: Gid.format(grh.dgid) }),
    ...{ tclass: grh?.tclass, flowLabel: grh?.flowLabel, hopLimit: grh?.hopLimit },
  };
}

const TID_AT = 8;
const TID_END = 16;
/** SA header and PathRecord. */
const PATH_END = 56 + 64;

/** The bytes of a recorded message, without its transaction id. */
export function recorded(id: string): string {
  return withoutTid(message(id));
}

/** The bytes of a packet's message without its transaction id, as far as the recorded one goes. */
export function sent({ mad }: SentPacket, id: string): string {
  return withoutTid(mad.subarray(0, message(id).length));
}

/** An answer with a path counts up to the record's end: what a recorded one has behind it is of that run alone. */
function message(id: string): Buffer {
  const bytes = vector("fabric", `${id}.hex`);
  return id.startsWith("sa-path-response") ? bytes.subarray(0, PATH_END) : bytes;
}

function withoutTid(mad: Buffer): string {
  return Buffer.concat([mad.subarray(0, TID_AT), mad.subarray(TID_END)]).toString("hex");
}

import { Gid, Lid, type Notice, NoticeType, TrapNumber } from "@verbena/ib";
import { gid, nodeGuid } from "./engine-bench.js";

/** A notice as OpenSM gives it: the details of 64 and 65 hold the GID at byte 6, those of 144 the LID at byte 2. */
export function notice(trapNumber: number, about: { gid?: Gid; lid?: number }): Notice {
  const details = Buffer.alloc(54);
  if (about.lid === undefined) Gid.write(details, 6, about.gid ?? Gid.zero);
  else details.writeUInt16BE(about.lid, 2);
  return {
    isGeneric: true,
    type: NoticeType.SUBNET_MANAGEMENT,
    producerType: 4,
    trapNumber,
    issuerLid: Lid.from(about.lid ?? 1),
    toggle: false,
    count: 0,
    details,
    issuerGid: about.gid ?? Gid.zero,
  };
}

/** Notices about the bench's `nodeN`. */
export const gidIn = (n: number): Notice => notice(TrapNumber.GID_IN_SERVICE, { gid: gid(nodeGuid(n)) });
export const gidOut = (n: number): Notice => notice(TrapNumber.GID_OUT_OF_SERVICE, { gid: gid(nodeGuid(n)) });
export const portChanged = (n: number, lid: number): Notice =>
  notice(TrapNumber.LOCAL_CHANGES, { lid, gid: gid(nodeGuid(n)) });

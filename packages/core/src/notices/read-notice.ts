import { Gid, Lid, type Notice, TrapNumber } from "@verbena/ib";
import type { SaNotice } from "../sdk/sa-notice.js";

/** Where the details of notices 64 to 67 hold the GID (IBA 14.2.5.1, table 130). */
const GID_AT = 6;
/** Where those of notice 144 hold the LID of the port. */
const LID_AT = 2;

/** What a notice says. */
export function readNotice(notice: Notice): SaNotice {
  if (!notice.isGeneric) return { type: "unknown", raw: notice };
  const details = Buffer.from(notice.details);
  switch (notice.trapNumber) {
    case TrapNumber.GID_IN_SERVICE:
      return { type: "gid-in", gid: Gid.read(details, GID_AT) };
    case TrapNumber.GID_OUT_OF_SERVICE:
      return { type: "gid-out", gid: Gid.read(details, GID_AT) };
    case TrapNumber.MGID_CREATED:
      return { type: "group-created", mgid: Gid.read(details, GID_AT) };
    case TrapNumber.MGID_DELETED:
      return { type: "group-deleted", mgid: Gid.read(details, GID_AT) };
    case TrapNumber.LOCAL_CHANGES:
      return { type: "local-change", lid: Lid.from(details.readUInt16BE(LID_AT)), gid: notice.issuerGid };
    default:
      return { type: "unknown", raw: notice };
  }
}

/** The GIDs and LIDs a notice is about; group GIDs are none, since no path in the caches leads to a group. */
export function endsOf(notice: SaNotice): readonly (Gid | Lid)[] {
  switch (notice.type) {
    case "gid-in":
    case "gid-out":
      return [notice.gid];
    case "local-change":
      return [notice.lid, notice.gid].filter((end) => end !== Lid.zero && end !== Gid.zero);
    case "group-created":
    case "group-deleted":
    case "unknown":
      return [];
    default:
      return notice satisfies never;
  }
}

/** The same for who reads logs and changes: `GID fe80::1 came into service`. */
export function noticeText(notice: SaNotice): string {
  switch (notice.type) {
    case "gid-in":
      return `GID ${Gid.format(notice.gid)} came into service`;
    case "gid-out":
      return `GID ${Gid.format(notice.gid)} went out of service`;
    case "group-created":
      return `group ${Gid.format(notice.mgid)} was created`;
    case "group-deleted":
      return `group ${Gid.format(notice.mgid)} was deleted`;
    case "local-change":
      return `the port at LID ${Lid.format(notice.lid)} has changed`;
    case "unknown":
      return `notice ${String(notice.raw.trapNumber)}`;
    default:
      return notice satisfies never;
  }
}

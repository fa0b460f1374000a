import {
  ACM_CONTROL_RESOLVE,
  ACM_TYPE,
  type AcmMad,
  decodeAcmMad,
  decodeGrh,
  Gid,
  GRH_SIZE,
  type Lid,
  MAD_SIZE,
  MadMethod,
  MgmtClass,
} from "@verbena/ib";

/** A datagram as it came in. */
export interface Arrival {
  /** GRH and message; of a longer one as much as there is room for. */
  readonly bytes: Buffer;
  /** As the device says. */
  readonly byteLength: number;
  readonly hasGrh: boolean;
  /** Of the sender. */
  readonly slid: number;
  readonly srcQpn: number;
  /** Low bits of the LID it was sent to. */
  readonly pathBits: number;
}

/** Who has sent a packet, and where an answer goes. */
export interface Sender {
  readonly gid: Gid;
  readonly lid: Lid;
  readonly qpn: number;
  readonly pathBits: number;
}

/** Why a datagram is dropped. */
export type DropReason =
  | "length"
  | "no-grh"
  | "grh"
  | "version"
  | "class"
  | "control"
  | "method"
  | "address-type"
  | "sender";

/** What a datagram is. Views into its bytes are valid until they go back to the device. */
export type Packet =
  | { readonly type: "request" | "response"; readonly mad: AcmMad; readonly from: Sender }
  | { readonly type: "dropped"; readonly reason: DropReason };

/** Reads a datagram; whatever it holds, nothing is thrown. */
export function readPacket({ bytes, byteLength, hasGrh, slid, srcQpn, pathBits }: Arrival): Packet {
  if (byteLength !== GRH_SIZE + MAD_SIZE || bytes.length < byteLength) return dropped("length");
  // Without it nobody knows who has sent it.
  if (!hasGrh) return dropped("no-grh");
  const { sgid: gid, dgid } = decodeGrh(bytes);
  if (gid === Gid.zero || Gid.isMulticast(gid) || dgid === Gid.zero) return dropped("grh");
  if (slid === 0 || slid >= FIRST_MULTICAST_LID || srcQpn <= GSI_QPN || srcQpn >= MULTICAST_QPN)
    return dropped("sender");
  const mad = decodeAcmMad(bytes, GRH_SIZE);
  if (mad.mgmtClass !== MgmtClass.ACM) return dropped("class");
  if (mad.baseVersion !== 1 || mad.classVersion !== 1) return dropped("version");
  if (mad.control !== ACM_CONTROL_RESOLVE) return dropped("control");
  const from = { gid, lid: slid as Lid, qpn: srcQpn, pathBits };
  if (mad.method === MadMethod.GET_RESP) return { type: "response", mad, from };
  if (mad.method !== MadMethod.GET) return dropped("method");
  if (mad.srcType < ACM_TYPE.NAME || mad.srcType > ACM_TYPE.LID) return dropped("address-type");
  return { type: "request", mad, from };
}

/** First LID that is none of a port (IBA 4.1.3). */
const FIRST_MULTICAST_LID = 0xc000;
/** Queue pairs 0 and 1 are those of management (IBA 3.9). */
const GSI_QPN = 1;
/** Queue pair that multicast packets are addressed to. */
export const MULTICAST_QPN = 0xff_ffff;

function dropped(reason: DropReason): Packet {
  return { type: "dropped", reason };
}

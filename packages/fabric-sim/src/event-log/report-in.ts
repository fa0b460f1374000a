import { MAD_SIZE, MadMethod, MgmtClass, NOTICE_SIZE, SA_DATA_OFFSET, SaAttribute } from "@verbena/ib";
import { decodePacket } from "../gsi/gsi.js";

const CLASS_AT = 1;
const METHOD_AT = 3;
const ATTRIBUTE_AT = 16;

/** The notice in a packet that is a report of an SA to a subscriber; else `undefined`. */
export function reportIn(packet: Buffer): Buffer | undefined {
  const mad = decodePacket(packet)?.payload;
  if (mad?.length !== MAD_SIZE) return undefined;
  const isReport =
    mad.readUInt8(CLASS_AT) === MgmtClass.SUBN_ADM &&
    mad.readUInt8(METHOD_AT) === MadMethod.REPORT &&
    mad.readUInt16BE(ATTRIBUTE_AT) === SaAttribute.NOTICE;
  return isReport ? mad.subarray(SA_DATA_OFFSET, SA_DATA_OFFSET + NOTICE_SIZE) : undefined;
}

import { Guid, Lid } from "@verbena/ib";

/** Header of a block of OpenSM's full path dump: the source port. */
export interface DumpHeader {
  readonly guid: Guid;
  readonly lid: Lid;
}

/** One destination of a block. Codes as in a PathRecord. */
export interface DumpPath {
  readonly dlid: Lid;
  readonly sl: number;
  readonly mtu: number;
  readonly rate: number;
}

const HEADER =
  /^\s*(?:(?:Switch|Router)\S*|Channel\S*\s+\S+)\s+(?:0x)?([0-9a-f]{1,16})\s*,\s*base LID.\s*(0x[0-9a-f]+|\d+)\s*(?:,|$)/i;
const DATA = /^\s*(0x[0-9a-f]+|\d+)\s*:\s*(\d+)\s*:\s*(\d+)\s*:\s*(\d+)/i;
const UNREACHABLE = /^\s*(?:0x[0-9a-f]+|\d+)\s*:\s*UNREACHABLE/i;

/** First letters of header lines: Switch, Channel Adapter, Router, UNKNOWN. Data lines begin with a digit. */
export function looksLikeHeader(byte: number | undefined): boolean {
  return byte === 0x53 || byte === 0x43 || byte === 0x52 || byte === 0x55;
}

/** `undefined` for a line that is no header, or one without usable GUID or LID. */
export function parseHeader(line: string): DumpHeader | undefined {
  const match = HEADER.exec(line);
  if (match === null) return undefined;
  const lid = Number(match[2]);
  if (!Lid.isUnicast(lid as Lid)) return undefined;
  return { guid: Guid.parse(`0x${match[1] ?? ""}`), lid: Lid.from(lid) };
}

/** `unreachable` for a destination without a path, `undefined` for a line that cannot be read. */
export function parsePath(line: string): DumpPath | "unreachable" | undefined {
  const match = DATA.exec(line);
  if (match === null) return UNREACHABLE.test(line) ? "unreachable" : undefined;
  const [dlid, sl, mtu, rate] = match.slice(1).map(Number) as [number, number, number, number];
  if (!Lid.isUnicast(dlid as Lid) || sl > 15 || mtu > 63 || rate > 63) return undefined;
  return { dlid: Lid.from(dlid), sl, mtu, rate };
}

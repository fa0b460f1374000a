import {
  encodeMadHeader,
  Lid,
  MAD_SIZE,
  MgmtClass,
  madAttributeNamed,
  madMethodNamed,
  madNames,
  mgmtClassNamed,
  nearestWord,
  SA_DATA_OFFSET,
  SMP_DATA_OFFSET,
  SMP_MAX_HOPS,
} from "@verbena/ib";
import { cliError } from "../../errors.js";

/** Fields of a MAD as they were typed. */
export interface MadWords {
  readonly class?: string;
  readonly method?: string;
  readonly attribute?: string;
  readonly modifier?: string;
  readonly tid?: string;
  /** SA: component mask. */
  readonly mask?: string;
  /** Directed route: `0,1,5`. */
  readonly path?: string;
  /** Attribute in hexadecimal. */
  readonly data?: string;
}

const DEFAULT_CLASS = "SA";
const HEADER_SIZE = 24;
const PERFORMANCE_DATA_OFFSET = 64;
const MASK_AT = 48;
const DR_LIDS_AT = 32;
const INITIAL_PATH_AT = 128;

/** Makes 256 bytes out of fields; what is not given is zero, the method Get. Throws `VERBENA_CLI_USAGE_ARGUMENT`. */
export function buildMad(words: MadWords): Buffer {
  const mgmtClass = named("class", words.class ?? DEFAULT_CLASS, mgmtClassNamed, madNames(0).classes);
  const method = named("method", words.method ?? "Get", madMethodNamed, madNames(0).methods);
  const attributeId = named(
    "attribute",
    words.attribute ?? "ClassPortInfo",
    (text) => madAttributeNamed(mgmtClass, text),
    madNames(mgmtClass).attributes,
  );
  const mad = Buffer.alloc(MAD_SIZE);
  const path = pathOf(words.path, mgmtClass);
  mad.set(
    encodeMadHeader({
      baseVersion: 1,
      mgmtClass,
      classVersion: mgmtClass === MgmtClass.SUBN_ADM ? 2 : 1,
      method,
      status: 0,
      classSpecific: Math.max(0, path.length - 1),
      tid: wide("--tid", words.tid, 64),
      attributeId,
      attributeModifier: Number(wide("--modifier", words.modifier, 32)),
    }),
  );
  if (mgmtClass === MgmtClass.SUBN_ADM) mad.writeBigUInt64BE(wide("--mask", words.mask, 64), MASK_AT);
  if (mgmtClass === MgmtClass.SUBN_DIRECTED_ROUTE) {
    mad.writeUInt16BE(Lid.PERMISSIVE, DR_LIDS_AT);
    mad.writeUInt16BE(Lid.PERMISSIVE, DR_LIDS_AT + 2);
    mad.set(path, INITIAL_PATH_AT);
  }
  const data = parseHex("--data", words.data ?? "");
  const at = dataOffset(mgmtClass);
  if (data.length > MAD_SIZE - at) throw usage(`--data has at most ${String(MAD_SIZE - at)} bytes in this class`);
  mad.set(data, at);
  return mad;
}

/** Bytes out of hexadecimal digits; blanks between them do not count. Throws `VERBENA_CLI_USAGE_ARGUMENT`. */
export function parseHex(option: string, text: string): Buffer {
  const digits = text.replace(/\s+/g, "").replace(/^0x/i, "");
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits)) throw usage(`${option} takes pairs of hexadecimal digits`);
  return Buffer.from(digits, "hex");
}

function dataOffset(mgmtClass: number): number {
  switch (mgmtClass) {
    case MgmtClass.SUBN_ADM:
      return SA_DATA_OFFSET;
    case MgmtClass.SUBN_LID_ROUTED:
    case MgmtClass.SUBN_DIRECTED_ROUTE:
      return SMP_DATA_OFFSET;
    case MgmtClass.PERF_MGMT:
      return PERFORMANCE_DATA_OFFSET;
    default:
      return HEADER_SIZE;
  }
}

function pathOf(text: string | undefined, mgmtClass: number): readonly number[] {
  if (text === undefined) return [];
  if (mgmtClass !== MgmtClass.SUBN_DIRECTED_ROUTE) throw usage("--path belongs to --class SM-DR");
  const ports = text.split(",").map(Number);
  const isGood = ports[0] === 0 && ports.every((port) => Number.isInteger(port) && port >= 0 && port <= 254);
  if (!isGood || ports.length > SMP_MAX_HOPS + 1) {
    throw usage("--path takes 0 and the ports to leave by, at most 63: 0,1,5");
  }
  return ports;
}

function named(
  option: string,
  text: string,
  find: (text: string) => number | undefined,
  known: readonly string[],
): number {
  const code = find(text);
  if (code !== undefined) return code;
  const near = nearestWord(text, known);
  throw usage(
    `no ${option} ${JSON.stringify(text)}; ${near === undefined ? `there are ${known.join(", ")}, and numbers` : `did you mean ${near}?`}`,
  );
}

function wide(option: string, text: string | undefined, bits: number): bigint {
  if (text === undefined) return 0n;
  const value = /^(?:0x[0-9a-f]+|\d+)$/i.test(text) ? BigInt(text) : -1n;
  if (value < 0n || value >= 1n << BigInt(bits))
    throw usage(`${option} takes a number of ${String(bits)} bits, not "${text}"`);
  return value;
}

function usage(what: string): Error {
  return cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what } });
}

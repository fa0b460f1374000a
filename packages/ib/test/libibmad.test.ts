import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  decodeClassPortInfo,
  decodeGuidInfoRecord,
  decodeMadHeader,
  decodeMcMemberRecord,
  decodeNodeInfo,
  decodeNotice,
  decodePortInfo,
  decodeServiceRecord,
  decodeSmInfo,
  decodeSwitchInfo,
  SWITCH_ENHANCED_PORT_0,
  smpHops,
} from "../src/index.js";
import { hex } from "./vectors.js";

interface Sample {
  readonly hex: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

const samples = JSON.parse(readFileSync(join(__dirname, "vectors/libibmad.json"), "utf8")) as Readonly<
  Record<string, readonly Sample[]>
>;

/** Decoders by attribute; fields that libibmad cuts in another way are added under its cut. */
const decoders: Readonly<Record<string, (buf: Buffer) => object>> = {
  PortInfo: (buf) => {
    const info = decodePortInfo(buf);
    const bit = (n: number): number => (info.partitionEnforcement >> n) & 1;
    return { ...info, enforceIn: bit(3), enforceOut: bit(2), filterIn: bit(1), filterOut: bit(0) };
  },
  NodeInfo: decodeNodeInfo,
  SwitchInfo: (buf) => {
    const info = decodeSwitchInfo(buf);
    return { ...info, enhancedPort0: (info.flags & SWITCH_ENHANCED_PORT_0) === 0 ? 0 : 1 };
  },
  SmInfo: decodeSmInfo,
  Notice: decodeNotice,
  ClassPortInfo: decodeClassPortInfo,
  GuidInfoRecord: decodeGuidInfoRecord,
  ServiceRecord: decodeServiceRecord,
  McMemberRecord: decodeMcMemberRecord,
  MadHeader: (buf) => {
    const header = decodeMadHeader(buf);
    const { pointer, count } = smpHops(header);
    return {
      ...header,
      method: header.method & 0x7f,
      isResponse: header.method >> 7,
      hopPointer: pointer,
      hopCount: count,
    };
  },
};

function member(decoded: object, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>>)[key], decoded);
}

/** Ours in libibmad's form. */
function asRead(value: unknown, like: string | number): string | number {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (typeof value === "bigint") {
    return typeof like === "number"
      ? Number(value)
      : like.startsWith("0x")
        ? `0x${value.toString(16)}`
        : value.toString(16).padStart(32, "0");
  }
  return Number(value);
}

describe.each(Object.entries(samples))("%s", (name, rows) => {
  it.each(rows.map((row, i) => [i, row] as const))(
    "sample %i reads as libibmad reads it",
    (_, { hex: bytes, fields }) => {
      const decoded = decoders[name]?.(hex(bytes)) ?? {};
      const ours = Object.fromEntries(
        Object.entries(fields).map(([path, like]) => [path, asRead(member(decoded, path), like)]),
      );
      expect(ours).toEqual(fields);
    },
  );
});

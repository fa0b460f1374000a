import fc from "fast-check";
import {
  ACM_RECORD_SIZE,
  type AcmAddressRecord,
  acmRequestLength,
  decodeAcmAddressRecord,
  decodeAcmHeader,
  decodeAcmMad,
  decodeAcmReplyHeader,
  decodeAcmRequest,
  decodeClassPortInfo,
  decodeEndpointReply,
  decodeGrh,
  decodeGuidInfoRecord,
  decodeIbPacket,
  decodeInformInfo,
  decodeInformInfoRecord,
  decodeLftBlock,
  decodeLftRecord,
  decodeLinkRecord,
  decodeMadHeader,
  decodeMcMemberRecord,
  decodeMftBlock,
  decodeMftRecord,
  decodeNetlinkHeader,
  decodeNetlinkLsAnswer,
  decodeNetlinkLsRequest,
  decodeNodeDescription,
  decodeNodeInfo,
  decodeNodeRecord,
  decodeNotice,
  decodePathRecord,
  decodePerfReply,
  decodePKeyBlock,
  decodePKeyTableRecord,
  decodePortInfo,
  decodePortInfoRecord,
  decodeResolveReply,
  decodeRmppHeader,
  decodeSaHeader,
  decodeSaMad,
  decodeServiceRecord,
  decodeSmInfo,
  decodeSmInfoRecord,
  decodeSmp,
  decodeSwitchInfo,
  decodeSwitchInfoRecord,
  encodeAcmMad,
  encodeClassPortInfo,
  encodeGuidInfoRecord,
  encodeInformInfo,
  encodeInformInfoRecord,
  encodeLftBlock,
  encodeLftRecord,
  encodeLinkRecord,
  encodeMadHeader,
  encodeMcMemberRecord,
  encodeMftBlock,
  encodeMftRecord,
  encodeNodeDescription,
  encodeNodeInfo,
  encodeNodeRecord,
  encodeNotice,
  encodePathRecord,
  encodePKeyBlock,
  encodePKeyTableRecord,
  encodePortInfo,
  encodePortInfoRecord,
  encodeRmppHeader,
  encodeSaHeader,
  encodeServiceRecord,
  encodeSmInfo,
  encodeSmInfoRecord,
  encodeSmp,
  encodeSwitchInfo,
  encodeSwitchInfoRecord,
  saTableRecords,
  VerbenaError,
  writeAcmAddressRecord,
} from "../src/index.js";
import { coded } from "./coded.js";

interface Codec<T> {
  readonly name: string;
  readonly size: number;
  readonly encode: (value: T) => Buffer;
  readonly decode: (buf: Buffer, offset?: number) => T;
  /** Makes random bytes acceptable: sets what the decoder judges, or the text it cannot keep. */
  readonly fix?: (bytes: Buffer) => void;
}

function encodeAcmAddress(record: AcmAddressRecord): Buffer {
  const buf = Buffer.alloc(ACM_RECORD_SIZE);
  writeAcmAddressRecord(buf, 0, record);
  return buf;
}

const ascii = (from: number, to: number) => (bytes: Buffer) => {
  for (let i = from; i < to; i++) bytes[i] = 0x20 + ((bytes[i] ?? 0) % 0x5f);
};

/** Codecs of different types in one table; a value only ever goes back to the codec it came from. */
const table = <T>(codec: Codec<T>): Codec<unknown> => codec as unknown as Codec<unknown>;

const codecs: readonly Codec<unknown>[] = [
  table({ name: "PathRecord", size: 64, encode: encodePathRecord, decode: decodePathRecord }),
  table({ name: "McMemberRecord", size: 52, encode: encodeMcMemberRecord, decode: decodeMcMemberRecord }),
  table({ name: "NodeInfo", size: 40, encode: encodeNodeInfo, decode: decodeNodeInfo }),
  table({
    name: "NodeDescription",
    size: 64,
    encode: encodeNodeDescription,
    decode: decodeNodeDescription,
    fix: ascii(0, 64),
  }),
  table({ name: "NodeRecord", size: 108, encode: encodeNodeRecord, decode: decodeNodeRecord, fix: ascii(44, 108) }),
  table({ name: "PortInfo", size: 64, encode: encodePortInfo, decode: decodePortInfo }),
  table({ name: "PortInfoRecord", size: 68, encode: encodePortInfoRecord, decode: decodePortInfoRecord }),
  table({
    name: "ServiceRecord",
    size: 176,
    encode: encodeServiceRecord,
    decode: decodeServiceRecord,
    fix: ascii(48, 112),
  }),
  table({ name: "InformInfo", size: 36, encode: encodeInformInfo, decode: decodeInformInfo }),
  table({ name: "InformInfoRecord", size: 60, encode: encodeInformInfoRecord, decode: decodeInformInfoRecord }),
  table({ name: "Notice", size: 80, encode: encodeNotice, decode: decodeNotice }),
  table({ name: "ClassPortInfo", size: 72, encode: encodeClassPortInfo, decode: decodeClassPortInfo }),
  table({ name: "GuidInfoRecord", size: 72, encode: encodeGuidInfoRecord, decode: decodeGuidInfoRecord }),
  table({ name: "SwitchInfo", size: 20, encode: encodeSwitchInfo, decode: decodeSwitchInfo }),
  table({ name: "SwitchInfoRecord", size: 24, encode: encodeSwitchInfoRecord, decode: decodeSwitchInfoRecord }),
  table({ name: "SmInfo", size: 21, encode: encodeSmInfo, decode: decodeSmInfo }),
  table({ name: "SmInfoRecord", size: 25, encode: encodeSmInfoRecord, decode: decodeSmInfoRecord }),
  table({ name: "LinkRecord", size: 6, encode: encodeLinkRecord, decode: decodeLinkRecord }),
  table({ name: "LinearForwardingTable", size: 64, encode: encodeLftBlock, decode: decodeLftBlock }),
  table({ name: "LftRecord", size: 72, encode: encodeLftRecord, decode: decodeLftRecord }),
  table({ name: "MulticastForwardingTable", size: 64, encode: encodeMftBlock, decode: decodeMftBlock }),
  table({ name: "MftRecord", size: 72, encode: encodeMftRecord, decode: decodeMftRecord }),
  table({ name: "PKeyTable", size: 64, encode: encodePKeyBlock, decode: decodePKeyBlock }),
  table({ name: "PKeyTableRecord", size: 72, encode: encodePKeyTableRecord, decode: decodePKeyTableRecord }),
  table({ name: "MadHeader", size: 24, encode: encodeMadHeader, decode: decodeMadHeader }),
  table({ name: "RmppHeader", size: 12, encode: encodeRmppHeader, decode: decodeRmppHeader }),
  table({ name: "SaHeader", size: 20, encode: encodeSaHeader, decode: decodeSaHeader }),
  table({
    name: "Smp",
    size: 256,
    encode: encodeSmp,
    decode: decodeSmp,
    fix: (bytes) => {
      bytes[1] = 0x01 | ((bytes[1] ?? 0) & 0x80);
    },
  }),
  table({ name: "AcmMad", size: 256, encode: encodeAcmMad, decode: decodeAcmMad }),
  table({ name: "AcmAddressRecord", size: 72, encode: encodeAcmAddress, decode: decodeAcmAddressRecord }),
];

const bytesOf = (codec: Codec<unknown>): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ minLength: codec.size, maxLength: codec.size }).map((array) => {
    const bytes = Buffer.from(array);
    codec.fix?.(bytes);
    return bytes;
  });

describe.each(codecs)("$name", (codec) => {
  it("keeps every field of any bytes, and its own bytes exactly", () => {
    fc.assert(
      fc.property(bytesOf(codec), (bytes) => {
        const value = codec.decode(bytes);
        const encoded = codec.encode(value);
        expect(encoded).toHaveLength(codec.size);
        expect(codec.decode(encoded)).toEqual(value);
        // Reserved bits are gone now: from here on nothing changes.
        expect(codec.encode(codec.decode(encoded))).toEqual(encoded);
      }),
    );
  });

  it("is found at an offset, whatever lies around it", () => {
    fc.assert(
      fc.property(bytesOf(codec), fc.integer({ min: 0, max: 9 }), (bytes, before) => {
        const around = Buffer.alloc(before + codec.size + 3, 0xa5);
        bytes.copy(around, before);
        expect(codec.decode(around, before)).toEqual(codec.decode(bytes));
      }),
      { numRuns: 20 },
    );
  });

  it("refuses every shorter buffer and every bad offset", () => {
    const bytes = Buffer.alloc(codec.size, 1);
    for (let length = 0; length < codec.size; length++) {
      expect(() => codec.decode(bytes.subarray(0, length))).toThrow(coded("VERBENA_IB_MALFORMED"));
    }
    for (const offset of [1, -1, 0.5, Number.NaN, 2 ** 32, Number.POSITIVE_INFINITY]) {
      expect(() => codec.decode(bytes, offset)).toThrow(coded("VERBENA_IB_MALFORMED"));
    }
  });

  it("refuses numbers that do not fit their field", () => {
    const bytes = Buffer.alloc(codec.size, 0x20);
    codec.fix?.(bytes);
    const value: unknown = codec.decode(bytes);
    for (const broken of breakNumbers(value)) expect(() => codec.encode(broken)).toThrow(coded("VERBENA_IB_VALUE"));
  });
});

/** Copies of a value, each with one number (or bigint) far out of range. */
function* breakNumbers(value: unknown): Generator {
  if (typeof value === "number") yield* [-1, 0.5, Number.NaN, 2 ** 32];
  else if (typeof value === "bigint") yield* [-1n, 1n << 128n];
  else if (Array.isArray(value))
    for (const broken of breakNumbers(value[0])) yield [broken, ...(value.slice(1) as unknown[])];
  else if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) {
    for (const [key, member] of Object.entries(value)) {
      for (const broken of breakNumbers(member)) yield { ...value, [key]: broken };
    }
  }
}

describe("random bytes", () => {
  const decoders: Readonly<Record<string, (buf: Buffer) => unknown>> = {
    ...Object.fromEntries(codecs.map(({ name, decode }) => [name, decode])),
    decodeAcmHeader,
    decodeAcmReplyHeader,
    decodeAcmRequest,
    acmRequestLength,
    decodeResolveReply,
    decodePerfReply,
    decodeEndpointReply,
    decodeSaMad,
    saTableRecords,
    decodeIbPacket,
    decodeGrh,
    decodeNetlinkHeader,
    decodeNetlinkLsRequest,
    decodeNetlinkLsAnswer,
  };
  // Small numbers are where versions, opcodes and lengths are right by chance.
  const byte = fc.oneof(fc.constantFrom(0, 1, 2, 3, 16, 88, 0x81, 0x82, 0x83), fc.integer({ min: 0, max: 255 }));
  const anything = fc
    .tuple(fc.array(byte, { maxLength: 40 }), fc.uint8Array({ maxLength: 640 }))
    .map(([head, tail]) => Buffer.concat([Buffer.from(head), tail]));

  it.each(Object.entries(decoders))("make %s return or throw its own error", (_, decode) => {
    fc.assert(
      fc.property(anything, (bytes) => {
        const before = Buffer.from(bytes);
        try {
          decode(bytes);
        } catch (error) {
          if (!VerbenaError.is(error, "VERBENA_IB_MALFORMED")) throw error;
        }
        expect(bytes.equals(before)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

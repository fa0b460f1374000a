import { isChecksumGood } from "../src/wire/checksum.js";
import { CONGESTION_MAP_SIZE, CongestionMap } from "../src/wire/congestion-map.js";
import { FrameParser } from "../src/wire/frame-parser.js";
import { decodeHeader, encodeHeader } from "../src/wire/header.js";
import { HEADER_SIZE } from "../src/wire/header-layout.js";
import { recordedBytes, recordedMessages } from "./vectors.js";

const hasOwnChecksum = (csum: string): boolean => csum !== "0000";

describe("messages recorded between Linux kernels", () => {
  it.each(recordedMessages)("$file decodes to what it says", (message) => {
    const bytes = recordedBytes(message.file);
    expect(bytes).toHaveLength(message.bytes);
    expect(decodeHeader(bytes)).toEqual({
      sequence: message.sequence,
      ack: message.ack,
      length: message.len,
      sourcePort: message.sport,
      destinationPort: message.dport,
      flags: message.flags,
      credit: message.credit,
      checksum: Number.parseInt(message.csum, 16),
      extensions: Buffer.from(message.ext, "hex"),
    });
    expect(isChecksumGood(bytes, 0)).toBe(true);
  });

  it.each(recordedMessages)("$file is encoded to the same bytes", (message) => {
    const header = Buffer.alloc(HEADER_SIZE, 0xff);
    encodeHeader(header, 0, {
      sequence: message.sequence,
      ack: message.ack,
      length: message.len,
      sourcePort: message.sport,
      destinationPort: message.dport,
      flags: message.flags,
      credit: message.credit,
      extensions: Buffer.from(message.ext, "hex"),
      hasChecksum: hasOwnChecksum(message.csum),
    });
    expect(header).toEqual(recordedBytes(message.file).subarray(0, HEADER_SIZE));
  });

  it("have congestion maps that ours equal byte for byte", () => {
    const map = new CongestionMap();
    expect(map.frame()).toEqual(recordedBytes("tcp-01-congestion-map-empty.hex"));
    map.set(5000, true);
    expect(map.frame()).toEqual(recordedBytes("tcp-12-congestion-map-port-5000.hex"));
    map.set(5000, false);
    expect(map.frame()).toEqual(recordedBytes("tcp-13-congestion-map-cleared.hex"));
  });

  it.each([
    ["tcp-stream-active-start.hex", [1, 0, 0, 0]],
    ["tcp-stream-passive-start.hex", [1, 0]],
  ])("%s is cut into its frames", (file, flags) => {
    const seen: number[] = [];
    const parser = new FrameParser(1 << 20, (header, at) => seen.push(decodeHeader(header, at).flags));
    parser.push(recordedBytes(file));
    expect(seen.slice(0, flags.length)).toEqual(flags);
    expect([parser.headerRemaining, parser.dataRemaining]).toEqual([0, 0]);
  });
});

describe("byte vectors of the protocol's description", () => {
  const length = { sequence: 0, length: 0, sourcePort: 0, destinationPort: 0 };
  it.each([
    [
      "data",
      { sequence: 2, length: 16, sourcePort: 2001, destinationPort: 7 },
      "000000000000000200000000000000000000001007d10007000000000000000000000000000000000000000000000000",
      0xf815,
    ],
    [
      "probe with eight paths",
      { ...length, sequence: 1, sourcePort: 1, extensions: Buffer.from("050008", "hex") },
      "000000000000000100000000000000000000000000010000000000000000000005000800000000000000000000000000",
      0xf2fd,
    ],
    [
      "answer to a probe, one path",
      { ...length, sequence: 1000, destinationPort: 1, extensions: Buffer.from("050001", "hex") },
      "00000000000003e800000000000000000000000000000001000000000000000005000100000000000000000000000000",
      0xf616,
    ],
    [
      "congestion map",
      { ...length, length: CONGESTION_MAP_SIZE, flags: 1 },
      "000000000000000000000000000000000000200000000000010000000000000000000000000000000000000000000000",
      0xdeff,
    ],
    [
      "retransmission",
      { sequence: 2, length: 20_000, sourcePort: 2001, destinationPort: 7, flags: 4 },
      "0000000000000002000000000000000000004e2007d10007040000000000000000000000000000000000000000000000",
      0xa605,
    ],
    [
      "probe of newer kernels",
      { ...length, sequence: 1, sourcePort: 1, extensions: Buffer.from("05000106123456780800", "hex") },
      "000000000000000100000000000000000000000000010000000000000000000005000106123456780800000000000000",
      0x894b,
    ],
  ])("%s", (_name, fields, hex, checksum) => {
    const header = Buffer.alloc(HEADER_SIZE);
    encodeHeader(header, 0, fields);
    expect(header.toString("hex")).toBe(hex);
    encodeHeader(header, 0, { ...fields, hasChecksum: true });
    expect(decodeHeader(header).checksum).toBe(checksum);
  });
});

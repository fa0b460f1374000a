import { IpAddress } from "@verbena/ib";
import {
  checkLinkExtras,
  decodeLinkOptions,
  encodeLinkOptions,
  isLinkVersion,
  type LinkOptions,
} from "./link-options.js";

const options: LinkOptions = {
  depth: 2,
  requestBytes: 4096,
  ackBytes: 63,
  rdmaBytes: 0,
  sendAddress: IpAddress.parse("10.0.0.2"),
  receiveAddress: IpAddress.parse("10.0.0.1"),
  port: 4000,
  tasks: 3,
  runTimeSeconds: 10,
  isSummaryOnly: false,
  traces: false,
  verifies: true,
  showsParams: false,
  showsPerfdata: false,
  usesCongestionMonitor: true,
  isSimplex: true,
  connectRetries: 5,
};
const HEX =
  "00000002000010000000003f00000000" + // depth, request, ack, RDMA
  "0a0000020a000001" + // the passive side, the active side
  "0fa000030000000a" + // port, tasks, seconds
  "000000010000010100010000000100" + // 15 bytes: verify, congestion monitor, use once, fence, simplex
  "000000010000000000000005"; // RDMA vector, alignment, tries for the link

describe("options on the link", () => {
  it("are 59 bytes, big-endian", () => {
    expect(encodeLinkOptions(options).toString("hex")).toBe(HEX);
    expect(decodeLinkOptions(Buffer.from(HEX, "hex"))).toEqual(options);
  });

  it("may stand behind a version of 16 bytes", () => {
    const version = Buffer.alloc(16);
    version.write("2.0.7");
    expect([isLinkVersion(version), isLinkVersion(Buffer.from(HEX, "hex").subarray(0, 16))]).toEqual([true, false]);
  });

  it.each([
    ["RDMA", (bytes: Buffer) => bytes.writeUInt32BE(4096, 12), "RDMA of 4096 bytes (-D)"],
    [
      "requests shorter than a header",
      (bytes: Buffer) => bytes.writeUInt32BE(62, 4),
      "requests have 63 to 1048576 bytes",
    ],
    ["no depth", (bytes: Buffer) => bytes.writeUInt32BE(0, 0), "depth and tasks are at least 1"],
    ["too many under way", (bytes: Buffer) => bytes.writeUInt32BE(0xffff_ffff, 0), "at most 1048576 requests"],
    ["ports beyond the last", (bytes: Buffer) => bytes.writeUInt16BE(65_534, 24), "go up to 65535 at most"],
  ])("with %s are refused", (_what, change, reason) => {
    const bytes = Buffer.from(HEX, "hex");
    change(bytes);
    expect(() => decodeLinkOptions(bytes)).toThrow(
      expect.objectContaining({ code: "VERBENA_CLI_STRESS", message: expect.stringContaining(reason) }),
    );
  });

  it.each([
    ["a type of service", "0300", "type of service 3 (-Q)"],
    ["asynchronous sends", "0001", "asynchronous sends (--async)"],
  ])("with %s are refused", (_what, hex, reason) => {
    expect(() => {
      checkLinkExtras(Buffer.from(hex, "hex"));
    }).toThrow(expect.objectContaining({ code: "VERBENA_CLI_STRESS", message: expect.stringContaining(reason) }));
    expect(() => {
      checkLinkExtras(Buffer.alloc(2));
    }).not.toThrow();
  });
});

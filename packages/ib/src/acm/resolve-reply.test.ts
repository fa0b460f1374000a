import { coded } from "../../test/coded.js";
import { vector } from "../../test/vectors.js";
import { emptyPathRecord } from "../record/path-record.js";
import { ACM_OPCODE, ACM_PATH_FLAG } from "./constants.js";
import { encodeAcmErrorReply } from "./error-reply.js";
import { decodeResolveReply, encodeResolveReply } from "./resolve-reply.js";

const ANSWERS = [
  ["replies", "ok-path"],
  ["replies", "ok-path-source"],
  ["replies", "ok-path-source-ip6"],
  ["replies", "ok-path-source-name"],
  ["replies", "ok-two-paths"],
  ["replies", "ok-selectors"],
  ["daemon", "path-by-dgid-only"],
  ["daemon", "preload-path-dlid-4"],
] as const;

describe("RESOLVE reply", () => {
  it.each(ANSWERS)("%s/%s, written from its paths, is the recorded one", (folder, id) => {
    const bytes = vector(folder, `${id}.rep.hex`);
    const { header, paths, source } = decodeResolveReply(bytes);
    const records = source === undefined ? [] : [source];
    expect(encodeResolveReply({ tid: header.tid, paths, records })).toEqual(bytes);
  });

  it("marks paths as ordinary answers unless told otherwise", () => {
    const path = emptyPathRecord();
    const reply = encodeResolveReply({ tid: 0n, paths: [{ path }, { path, flags: ACM_PATH_FLAG.INBOUND }] });
    expect(decodeResolveReply(reply).paths.map(({ flags }) => flags)).toEqual([0x2b, 0x10]);
    expect(ACM_PATH_FLAG.GMP | ACM_PATH_FLAG.PRIMARY | ACM_PATH_FLAG.BIDIRECTIONAL).toBe(ACM_PATH_FLAG.ANSWER);
  });

  it("has at most eight records", () => {
    const paths = Array.from({ length: 9 }, () => ({ path: emptyPathRecord() }));
    expect(encodeResolveReply({ tid: 0n, paths: paths.slice(1) })).toHaveLength(592);
    expect(() => encodeResolveReply({ tid: 0n, paths })).toThrow(coded("VERBENA_IB_VALUE", "records.length"));
  });

  it("is a bare header for an error", () => {
    const bytes = encodeAcmErrorReply({ opcode: ACM_OPCODE.RESOLVE | ACM_OPCODE.ACK, status: 7, tid: 9n });
    expect(bytes).toHaveLength(16);
    expect(decodeResolveReply(bytes)).toMatchObject({
      status: 7,
      paths: [],
      records: [],
      header: { opcode: 0x81, tid: 9n },
    });
  });

  it("is refused with another operation, length or half a record", () => {
    const good = encodeResolveReply({ tid: 0n, paths: [{ path: emptyPathRecord() }] });
    const broken = (at: number, value: number, size = good.length): Buffer => {
      const bytes = Buffer.from(good.subarray(0, size));
      bytes[at] = value;
      return bytes;
    };
    const malformed = coded("VERBENA_IB_MALFORMED");
    expect(() => decodeResolveReply(broken(1, 2))).toThrow(malformed);
    expect(() => decodeResolveReply(broken(6, 87))).toThrow(malformed);
    expect(() => decodeResolveReply(broken(6, 60, 60))).toThrow(malformed);
  });
});

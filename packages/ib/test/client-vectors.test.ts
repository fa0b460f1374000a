import {
  ACM_FLAG,
  ACM_OPCODE,
  type AcmAddressRecord,
  acmAddressOf,
  acmAddressRecord,
  acmRequestLength,
  decodeAcmRequest,
  decodeEndpointReply,
  decodePerfReply,
  decodeResolveReply,
  encodeAcmErrorReply,
  encodeEndpointReply,
  encodeEndpointRequest,
  encodePerfReply,
  encodePerfRequest,
  encodeResolveReply,
  encodeResolveRequest,
  Gid,
} from "../src/index.js";
import { coded } from "./coded.js";
import { index, vector } from "./vectors.js";

/** Encodes a decoded record again from what it says, not from its bytes. */
const again = (record: AcmAddressRecord): AcmAddressRecord => acmAddressRecord(record.flags, acmAddressOf(record));

/** The requests of one read: some recordings hold several that a client sent without waiting. */
function split(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = acmRequestLength(bytes, at) ?? 0;
    parts.push(bytes.subarray(at, at + length));
    at += length;
  }
  return parts;
}

function encodeRequestAgain(bytes: Buffer): Buffer {
  const request = decodeAcmRequest(bytes);
  const { tid } = request.header;
  switch (request.kind) {
    case "resolve":
      return encodeResolveRequest({ tid, records: request.records.map(again) });
    case "perf":
      return encodePerfRequest({ tid, endpointIndex: request.endpointIndex, records: request.records.map(again) });
    case "endpoint":
      return encodeEndpointRequest({ tid, index: request.index, port: request.port });
  }
}

function encodeReplyAgain(bytes: Buffer): Buffer {
  const opcode = bytes.readUInt8(1);
  switch (opcode & ACM_OPCODE.MASK) {
    case ACM_OPCODE.RESOLVE: {
      const { header, status, records } = decodeResolveReply(bytes);
      return encodeResolveReply({ opcode, status, tid: header.tid, records: records.map(again) });
    }
    case ACM_OPCODE.PERF_QUERY: {
      const { header, status, endpointIndex, counters } = decodePerfReply(bytes);
      return status === 0
        ? encodePerfReply({ tid: header.tid, endpointIndex, counters })
        : encodeAcmErrorReply({ opcode, status, tid: header.tid, data0: header.data0, data1: header.data1 });
    }
    default: {
      const { header, status, index: endpointIndex, endpoint } = decodeEndpointReply(bytes);
      return endpoint === undefined
        ? encodeAcmErrorReply({ opcode, status, tid: header.tid, data0: header.data0, data1: header.data1 })
        : encodeEndpointReply({ ...endpoint, tid: header.tid, index: endpointIndex });
    }
  }
}

/** Requests that no service may accept: it closes the connection. */
const REFUSED = new Map([
  ["bad-version", "expected version 1, got version 2"],
  ["unknown-opcode-4", "expected operation 1, 2 or 3, got opcode 4"],
  ["length-mismatch", "expected a length of 16 + 72 n up to 592, got length 161"],
  ["two-requests-in-one-write", "expected 160 bytes, got 320 bytes"],
  ["perf-with-little-endian-length", "expected a length of 16 + 72 n up to 592, got length 4096"],
  ["single-byte", "expected 16 bytes at offset 0, got 1 bytes"],
]);

/** Replies whose length field does not fit their bytes: stock clients refuse them as well. */
const BAD_REPLIES = new Set([
  "bad-length",
  "bad-endian",
  "split-reply",
  "short-reply",
  "perf-little-endian-length",
  "ep-split",
  "ep-split-body",
]);

const requests = [
  ...index.acme.flatMap(({ kind, requests: files }) => files.map((file) => [kind, file] as const)),
  ...index.daemon
    .filter(({ closed }) => !closed)
    .flatMap(({ requests: files }) => files.map((f) => ["daemon", f] as const)),
];
const replies = [
  ...index.acme
    .filter(({ id }) => !BAD_REPLIES.has(id))
    .flatMap(({ kind, replies: files }) => files.map((file) => [kind, file] as const)),
  ...index.daemon.flatMap(({ replies: files }) => files.map((file) => ["daemon", file] as const)),
];

describe("recorded client requests", () => {
  it("are many", () => {
    expect(requests.length).toBeGreaterThan(180);
    expect(replies.length).toBeGreaterThan(160);
  });

  it.each(requests)("%s/%s decodes and encodes to the same bytes", (folder, file) => {
    const bytes = vector(folder, file);
    const expected = Buffer.from(bytes);
    // Byte 5 of a query is ignored by services; one recording has it set.
    if (file.startsWith("ep-query-idx1-port1")) expected[5] = 0;
    expect(Buffer.concat(split(bytes).map(encodeRequestAgain))).toEqual(expected);
  });

  it.each([...REFUSED])("daemon/%s is refused: %s", (id, message) => {
    const bytes = vector("daemon", `${id}.req.hex`);
    expect(() => decodeAcmRequest(bytes)).toThrow(coded("VERBENA_IB_MALFORMED", message));
  });

  it("split over two writes is one request when put together", () => {
    const parts = [1, 2].map((n) => vector("daemon", `request-split-over-two-writes.req${n}.hex`));
    expect(encodeRequestAgain(Buffer.concat(parts))).toEqual(Buffer.concat(parts));
  });

  it("say what the command line said", () => {
    const ip4 = decodeAcmRequest(vector("requests", "resolve-ip4-cached.req.hex"));
    expect(ip4.kind === "resolve" && ip4.records.map((r) => [r.flags, acmAddressOf(r)])).toEqual([
      [ACM_FLAG.SOURCE, { type: "ip4", address: Buffer.from([192, 0, 2, 1]) }],
      [ACM_FLAG.DEST + ACM_FLAG.NODELAY, { type: "ip4", address: Buffer.from([192, 0, 2, 10]) }],
    ]);
    const name = decodeAcmRequest(vector("requests", "resolve-name-src.req.hex"));
    expect(name.kind === "resolve" && name.records.map(acmAddressOf)).toEqual([
      { type: "name", name: "node1" },
      { type: "name", name: "node10" },
    ]);
    const verify = decodeAcmRequest(vector("requests", "verify-ip4.req2.hex"));
    const record = verify.kind === "resolve" ? verify.records[0] : undefined;
    expect(record?.flags).toBe(ACM_FLAG.QUERY_SA);
    expect(record && acmAddressOf(record)).toEqual({
      type: "path",
      path: {
        serviceId: 0n,
        dgid: Gid.parse("fe80::2:c903:0:aa02"),
        sgid: Gid.parse("fe80::2:c903:0:aa01"),
        dlid: 5,
        slid: 3,
        rawTraffic: false,
        flowLabel: 0xabcd,
        hopLimit: 1,
        tclass: 7,
        reversible: true,
        numbPath: 1,
        pkey: 0xffff,
        qosClass: 1,
        sl: 2,
        mtuSelector: 2,
        mtu: 4,
        rateSelector: 2,
        rate: 3,
        packetLifeTimeSelector: 2,
        packetLifeTime: 18,
        preference: 0,
      },
    });
    expect(decodeAcmRequest(vector("requests", "ep-one.req2.hex"))).toMatchObject({
      kind: "endpoint",
      index: 1,
      port: 2,
    });
    expect(decodeAcmRequest(vector("requests", "perf-index-2.req.hex"))).toMatchObject({
      kind: "perf",
      endpointIndex: 2,
    });
  });
});

describe("recorded replies", () => {
  it.each(replies)("%s/%s decodes and encodes to the same bytes", (folder, file) => {
    const bytes = vector(folder, file);
    const expected = Buffer.from(bytes);
    // One recorded error reply has its length the other way round; readers stop at the status.
    if (file === "ep-list.rep2.hex") expected.subarray(6, 8).swap16();
    // The two reserved bytes of an endpoint reply are not always zero in recordings.
    if (bytes.readUInt8(1) === 0x83 && bytes.length > 28) expected.fill(0, 26, 28);
    expect(encodeReplyAgain(bytes)).toEqual(expected);
  });

  it("say what the client printed", () => {
    expect(decodeResolveReply(vector("replies", "ok-path-source.rep.hex"))).toMatchObject({
      status: 0,
      paths: [{ flags: 0x2b, path: { dlid: 5, slid: 3, mtu: 4, rate: 3, pkey: 0xffff, packetLifeTime: 18 } }],
      source: { flags: ACM_FLAG.SOURCE, type: 2 },
    });
    expect(decodeResolveReply(vector("replies", "ok-two-paths.rep.hex")).paths).toHaveLength(2);
    expect(decodeResolveReply(vector("daemon", "path-query-sa-with-extra-record.rep.hex"))).toMatchObject({
      status: 2,
    });
    expect(decodePerfReply(vector("replies", "perf-row.rep.hex")).counters).toEqual([
      1n,
      22n,
      333n,
      4444n,
      5n,
      6n,
      1n << 40n,
    ]);
    expect(decodeEndpointReply(vector("replies", "ep-two-ports.rep2.hex")).endpoint).toEqual({
      guid: 0x0002_c903_0000_aa00n,
      port: 2,
      physicalPortCount: 2,
      pkey: 0x8001,
      provider: "ibacmp",
      addresses: ["192.0.2.2/24", "node1-2"],
    });
  });
});

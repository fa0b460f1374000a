import { readFileSync } from "node:fs";
import { join } from "node:path";
import { VerbenaError } from "@verbena/ib";
import { RecordedFabric } from "../../test/support/recorded-fabric.js";
import type { EndpointStatus, PathRequest, ResolveAnswer, ResolveRequest } from "../engine/contract.js";
import { coreError } from "../errors.js";
import type { Logger } from "../sdk/services.js";
import type { AcmClientHandle } from "../server/index.js";
import { AcmEdgeCounters, createAcmHandler } from "./index.js";

const client: AcmClientHandle = { id: 1, kind: "unix", signal: new AbortController().signal };
const VECTORS = join(__dirname, "../../../ib/test/vectors");

/** Address record in hexadecimal: flags and type in host order, the rest zero. */
function record(flags: number, type: number, info: string): string {
  const bytes = Buffer.alloc(72);
  bytes.set(new Uint8Array(Uint32Array.of(flags).buffer), 0);
  bytes.set(new Uint8Array(Uint16Array.of(type).buffer), 4);
  bytes.write(info, 8, "hex");
  return bytes.toString("hex");
}

/** RESOLVE request of these records; `opcode` other than 1 has its length big-endian. */
function resolve(records: readonly string[], opcode = 1): Buffer {
  const message = Buffer.from(`01${opcode.toString(16).padStart(2, "0")}${"00".repeat(14)}${records.join("")}`, "hex");
  if (opcode === 1) message.set(new Uint8Array(Uint16Array.of(message.length).buffer), 6);
  else message.writeUInt16BE(message.length, 6);
  message.writeUInt32BE(0xabcd, 12);
  return message;
}

const SOURCE = record(1, 2, "c0000201");
const DEST = record(2, 2, "c0000202");
const SCOPED = Buffer.from("fe80::1%ib0").toString("hex");
const OTHER = record(0, 2, "c0000263");

async function ask(engine: RecordedFabric, message: Buffer, edge = new AcmEdgeCounters()): Promise<string> {
  const handler = createAcmHandler({ engine, edge });
  return await new Promise((done) => {
    handler.handle(client, message, (reply) => {
      done(reply.toString("hex"));
    });
  });
}

/** An engine whose lookups fail with `error`. */
class Failing extends RecordedFabric {
  constructor(readonly error: Error) {
    super();
  }
  override resolve(): Promise<never> {
    return Promise.reject(this.error);
  }
  override querySa(): Promise<never> {
    return Promise.reject(this.error);
  }
}

/** Header-only reply: length 16 in host order, the tid of the requests here. */
function header(opcode: number, status: number): string {
  const bytes = resolve([]);
  bytes[1] = opcode;
  bytes[2] = status;
  return bytes.toString("hex");
}

const logged: string[] = [];
const logger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message) => logged.push(message),
  error: (message) => logged.push(message),
  child: () => logger,
};

describe("RESOLVE", () => {
  it.each([
    ["VERBENA_RESOLVE_NO_DATA", 0x01, 3],
    ["VERBENA_RESOLVE_NOT_READY", 0x01, 3],
    ["VERBENA_RESOLVE_TIMEOUT", 0x01, 6],
    ["VERBENA_RESOLVE_ABORTED", 0x01, 6],
    ["VERBENA_RESOLVE_CLOSED", 0x81, 5],
    ["VERBENA_RESOLVE_NO_SOURCE", 0x81, 7],
    ["VERBENA_RESOLVE_DESTINATION", 0x81, 9],
    ["VERBENA_RESOLVE_DESTINATION_SYNTAX", 0x81, 9],
    ["VERBENA_RESOLVE_DESTINATION_TYPE", 0x81, 10],
  ] as const)(
    "%s: opcode %i, status %i; the ACK bit tells core errors from failed lookups",
    async (code, opcode, status) => {
      const edge = new AcmEdgeCounters();
      expect(await ask(new Failing(coreError(code)), resolve([SOURCE, DEST]), edge)).toBe(header(opcode, status));
      expect([edge.resolve, edge.error, edge.noData]).toEqual(status === 3 ? [1, 0, 1] : [1, 1, 0]);
    },
  );

  it("gives the errno of a source that cannot be chosen as the status, its low byte", async () => {
    const engine = new Failing(coreError("VERBENA_RESOLVE_NO_ROUTE_TO_SOURCE", { errno: 101 }));
    expect(await ask(engine, resolve([DEST]))).toBe(header(0x81, 101));
    const unknown = new Failing(coreError("VERBENA_RESOLVE_NO_ROUTE_TO_SOURCE", { errno: 256 }));
    expect(await ask(unknown, resolve([DEST]))).toBe(header(0x81, 7));
  });

  it("logs a fault of its own, answers status 1, and goes on", async () => {
    logged.length = 0;
    const handler = createAcmHandler({ engine: new Failing(new RangeError("bug")), logger });
    const replies = await Promise.all(
      [0, 1].map(
        () =>
          new Promise<Buffer>((done) => {
            handler.handle(client, resolve([SOURCE, DEST]), done);
          }),
      ),
    );
    expect(replies.map((bytes) => bytes.toString("hex"))).toEqual([header(0x81, 1), header(0x81, 1)]);
    expect(logged).toHaveLength(2);
  });

  it.each([
    ["no record at all", [], 10],
    ["a lone source", [SOURCE], 10],
    ["records without flags only", [OTHER, OTHER], 10],
    ["two sources, before a bad destination is seen", [SOURCE, SOURCE, record(2, 6, "")], 7],
    ["a source of type PATH", [OTHER, record(1, 0x10, ""), DEST], 8],
    ["a source of type 0", [record(1, 0, ""), DEST], 8],
    ["two destinations", [SOURCE, DEST, DEST], 9],
    ["a destination of type 6", [SOURCE, record(2, 6, "")], 10],
    ["a name without source", [record(2, 1, "61")], 10],
    ["a GID without source", [record(2, 4, "fe80")], 10],
    ["eight records and no source", [DEST, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER], 2],
    ["an address with a scope for a source's name", [record(1, 1, SCOPED), DEST], 7],
    ["an address with a scope for a destination's name", [SOURCE, record(2, 1, SCOPED)], 9],
    ["a PATH record with neither DLID nor DGID", [record(0, 0x10, "")], 9],
  ] as const)("%s: core error", async (_, records, status) => {
    expect(await ask(new RecordedFabric(), resolve(records))).toBe(header(0x81, status));
  });

  it.each([0x11, 0x21, 0x81, 0x91])("opcode 0x%s is refused with status 2", async (opcode) => {
    expect(await ask(new RecordedFabric(), resolve([SOURCE, DEST], opcode))).toBe(header(opcode | 0x80, 2));
  });

  it("skips records without flags, also PATH records behind the first, and takes one record for both", async () => {
    const plain = await ask(new RecordedFabric(), resolve([SOURCE, DEST]));
    expect(plain.slice(32, 48)).toBe("2b00000010000000");
    expect(await ask(new RecordedFabric(), resolve([OTHER, SOURCE, record(0, 0x10, "ff"), DEST]))).toBe(plain);
    const own = await ask(new RecordedFabric(), resolve([record(3, 2, "c0000201")]));
    expect(own.slice(0, 6)).toBe("010100");
    expect(own).toHaveLength(2 * 88);
  });

  it("ignores bytes 3 to 5 of the header and clears them in the reply", async () => {
    const path = record(0, 0x10, `${"00".repeat(40)}0003`);
    const message = resolve([path]);
    const plain = await ask(new RecordedFabric(), message);
    message.fill(0xff, 3, 6);
    expect(await ask(new RecordedFabric(), message)).toBe(plain);
    expect(plain.slice(6, 12)).toBe("000000");
  });

  it("hands the fields of a PATH record on, and asks for one reversible path whatever the record says", async () => {
    const asked: PathRequest[] = [];
    const engine = new (class extends RecordedFabric {
      override resolvePath(request: PathRequest): Promise<ResolveAnswer> {
        asked.push(request);
        return super.resolvePath(request);
      }
    })();
    const info = Buffer.alloc(64);
    info.writeBigUInt64BE(0x1234n, 0);
    info.writeUInt16BE(3, 40);
    info[48] = 7; // traffic class
    info[49] = 5; // not reversible, five paths
    info.writeUInt16BE((9 << 4) | 2, 52);
    await ask(engine, resolve([record(0x4000_0000, 0x10, info.toString("hex"))]));
    await ask(engine, resolve([record(0, 0x10, `${"00".repeat(40)}0004`)]));
    expect(asked[0]).toMatchObject({
      dlid: 3,
      serviceId: 0x1234n,
      trafficClass: 7,
      qosClass: 9,
      sl: 2,
      reversible: true,
      maxPaths: 1,
      noDelay: true,
    });
    expect(Object.keys(asked[1] ?? {}).sort()).toEqual(
      ["client", "dgid", "dlid", "maxPaths", "noDelay", "pkey", "reversible", "sgid", "signal", "slid"].sort(),
    );
  });

  it("answers in the same turn what the engine knows at once", async () => {
    const engine = new (class extends RecordedFabric {
      hit: ResolveAnswer | undefined;
      tryResolveCached(_: ResolveRequest): ResolveAnswer | undefined {
        return this.hit;
      }
      tryResolvePathCached(): ResolveAnswer | undefined {
        throw coreError("VERBENA_RESOLVE_NO_DATA");
      }
    })();
    engine.hit = await new RecordedFabric().resolvePath({ dlid: 3, dgid: 0n, sgid: 0n, slid: 0, pkey: 0 } as never);
    const replies: string[] = [];
    const handler = createAcmHandler({ engine });
    const take = (bytes: Buffer): void => {
      replies.push(bytes.toString("hex").slice(0, 6));
    };
    handler.handle(client, resolve([SOURCE, DEST]), take);
    handler.handle(client, resolve([record(0, 0x10, `${"00".repeat(40)}0004`)]), take);
    expect(replies).toEqual(["010100", "010103"]);
    engine.hit = undefined;
    handler.handle(client, resolve([SOURCE, DEST]), take);
    expect(replies).toHaveLength(2);
  });

  it("QUERY_SA: full length and the client's record whatever fails", async () => {
    const message = resolve([record(0x8000_0000, 0x10, `${"00".repeat(8)}fe80`)]);
    for (const [error, status] of [
      [coreError("VERBENA_RESOLVE_NO_SOURCE"), "07"],
      [coreError("VERBENA_RESOLVE_NOT_READY"), "03"],
      [coreError("VERBENA_RESOLVE_TIMEOUT"), "06"],
      [new VerbenaError("VERBENA_SOMETHING_ELSE", "?"), "01"],
    ] as const) {
      const edge = new AcmEdgeCounters();
      const reply = await ask(new Failing(error), message, edge);
      expect(reply).toBe(message.toString("hex").replace(/^0101../, `0181${status}`));
      expect([edge.resolve, edge.error, edge.noData]).toEqual([1, 0, 0]);
    }
  });
});

describe("requests of librdmacm", () => {
  const sent = (file: string): Buffer =>
    Buffer.from(readFileSync(join(VECTORS, "librdmacm", file), "utf8").trim(), "hex");
  const LAN = record(2, 2, "c0000202");

  it.each([
    ["ip4.req.hex", 6, "010106"],
    ["ip4-src.req.hex", 6, "010106"],
    ["ip4-numeric.req.hex", 3, "010103"],
    ["ip4-noroute.req.hex", 3, "010103"],
    ["ip6.req.hex", 6, "010106"],
    ["no-dest.req.hex", 10, "01810a"],
    ["header-only.req.hex", 10, "01810a"],
    ["af-ib.req.hex", 3, "010103"],
    ["path-hint.req.hex", 3, "010103"],
    ["ip4-and-path-hint.req.hex", 6, "010106"],
    ["two-calls.req2.hex", 6, "010106"],
  ])("%s to an address nobody has: status %i", async (file, _, start) => {
    const reply = await ask(new RecordedFabric(), sent(file));
    expect(reply.slice(0, 6)).toBe(start);
    expect(reply).toHaveLength(32);
  });

  it("the addresses it sends resolve to one PATH record that the kernel takes: flags exactly 0x2b", async () => {
    const reply = await ask(new RecordedFabric(), resolve([SOURCE, LAN, record(0, 0x10, "")]));
    expect(reply.slice(32, 48)).toBe("2b00000010000000");
    expect(reply).toHaveLength(2 * 88);
  });

  it("a source on no endpoint gets status 7 in the turn it asks", async () => {
    expect(await ask(new RecordedFabric(), resolve([record(1, 2, "0a000001"), LAN]))).toBe(header(0x81, 7));
  });
});

describe("endpoint and PERF queries", () => {
  class Endpoints extends RecordedFabric {
    constructor(readonly list: readonly Partial<EndpointStatus>[]) {
      super();
    }
    override endpoints(): readonly EndpointStatus[] {
      const [base] = super.endpoints();
      return this.list.map((one) => ({ ...base!, ...one }));
    }
  }
  const query = (opcode: number, data0: number, data1: number): Buffer =>
    Buffer.from([1, opcode, 0, data0, data1, 0, 0, 16, ...Array.from({ length: 8 }, () => 0)]);

  it("numbers endpoints within the port asked for, and within all for port 0", async () => {
    const engine = new Endpoints([1, 2, 2, 1].map((port, n) => ({ port, addresses: [`a${n}`] })));
    const name = async (index: number, port: number): Promise<string> => {
      const reply = Buffer.from(await ask(engine, query(3, index, port)), "hex");
      return reply.length === 16 ? `status ${reply[2]}` : reply.toString("latin1", 96, 98);
    };
    expect(await Promise.all([1, 2, 3, 4, 5].map((n) => name(n, 0)))).toEqual(["a0", "a1", "a2", "a3", "status 2"]);
    expect(await Promise.all([1, 2, 3].map((n) => name(n, 2)))).toEqual(["a1", "a2", "status 2"]);
    expect(await Promise.all([1, 2, 3].map((n) => name(n, 1)))).toEqual(["a0", "a3", "status 2"]);
    expect(await name(1, 3)).toBe("status 2");
    expect(await name(0, 0)).toBe("status 2");
  });

  it("cuts texts at 63 bytes and no character in two", async () => {
    const long = "x".repeat(62);
    const engine = new Endpoints([{ provider: "p".repeat(80), addresses: [`${long}yz`, `${long}\u00e9`, "a\0b"] }]);
    const reply = Buffer.from(await ask(engine, query(3, 1, 0)), "hex");
    const texts = [32, 96, 160, 224].map((at) => reply.toString("utf8", at, at + 64).split("\0")[0]);
    expect(texts).toEqual(["p".repeat(63), `${long}y`, long, "a"]);
  });

  it("shows 1022 addresses at most and logs that there are more", async () => {
    logged.length = 0;
    const engine = new Endpoints([{ addresses: Array.from({ length: 1023 }, (_, n) => `n${n}`) }]);
    const handler = createAcmHandler({ engine, logger });
    const reply = await new Promise<Buffer>((done) => {
      handler.handle(client, query(3, 1, 0), done);
    });
    expect(reply).toHaveLength(96 + 64 * 1022);
    expect(reply.readUInt16BE(6)).toBe(65_504);
    expect(reply.readUInt16BE(30)).toBe(1022);
    expect(logged).toHaveLength(1);
  });

  it("PERF by index counts endpoints, whatever port they are on", async () => {
    const counters = { error: 0, resolve: 0, noData: 0, addressQuery: 0, addressCache: 0, routeQuery: 0 };
    const engine = new Endpoints([1, 1, 2].map((port, n) => ({ port, counters: { ...counters, routeCache: 40 + n } })));
    for (const n of [1, 2, 3]) {
      const reply = Buffer.from(await ask(engine, query(2, 0, n)), "hex");
      expect(reply.readBigUInt64BE(64)).toBe(BigInt(39 + n));
      expect([...reply.subarray(0, 8)]).toEqual([1, 0x82, 0, 7, n, 0, 0, 72]);
    }
    expect((await ask(engine, query(2, 0, 4))).slice(0, 16)).toBe("0182070004000010");
  });
});

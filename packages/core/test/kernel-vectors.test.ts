/**
 * Replays the requests recorded from a kernel's side against the handler, over an engine that knows the recorded fabric, and compares
 * the answers byte for byte with those of the recorded daemon. Bytes 12 to 15 are the answering process's id.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  decodeNetlinkHeader,
  decodeNetlinkLsAnswer,
  decodeNetlinkLsRequest,
  encodeNetlinkResolveRequest,
  Gid,
  Lid,
  NetlinkPathUse,
  type NetlinkResolveRequest,
  PKey,
} from "@verbena/ib";
import { AcmEdgeCounters } from "../src/acm/index.js";
import type { PathRequest, ResolveAnswer, ResolveRequest } from "../src/engine/contract.js";
import { silentLogger } from "../src/host/default-services.js";
import { KernelRequestHandler, MAX_KERNEL_REQUESTS } from "../src/kernel/kernel-handler.js";
import { RecordedFabric, type RecordedSetup } from "./support/recorded-fabric.js";

const VECTORS = join(__dirname, "../../ib/test/vectors");
const { netlink } = JSON.parse(readFileSync(join(VECTORS, "index.json"), "utf8")) as {
  netlink: readonly { readonly id: string; readonly reply_len: number | null }[];
};

function recorded(id: string, side: "req" | "rep"): Buffer {
  return Buffer.from(readFileSync(join(VECTORS, "netlink", `${id}.${side}.hex`), "utf8").trim(), "hex");
}

/** Remembers what it was asked. */
class WatchedFabric extends RecordedFabric {
  readonly paths: PathRequest[] = [];
  readonly addresses: ResolveRequest[] = [];

  override resolvePath(request: PathRequest): Promise<ResolveAnswer> {
    this.paths.push(request);
    return super.resolvePath(request);
  }

  override resolve(request: ResolveRequest): Promise<ResolveAnswer> {
    this.addresses.push(request);
    return super.resolve(request);
  }
}

const PID = 4711;
let engine: WatchedFabric;
let edge: AcmEdgeCounters;
let handler: KernelRequestHandler;

function setUp(setup: RecordedSetup = {}): void {
  engine = new WatchedFabric(setup);
  edge = new AcmEdgeCounters();
  handler = new KernelRequestHandler({ engine, edge, logger: silentLogger, pid: PID, deadlineMs: () => 1800 });
}

beforeEach(() => {
  setUp();
});

const ask = (request: Buffer): Promise<Buffer> =>
  new Promise((resolve) => {
    handler.handle(request, resolve);
  });

/** A recorded request, changed. */
function resolveRequest(change: Partial<NetlinkResolveRequest>): Buffer {
  const request = decodeNetlinkLsRequest(recorded("resolve-all-dgid-sgid-pkey", "req"));
  if (request.kind !== "resolve") throw new Error("not a RESOLVE");
  return encodeNetlinkResolveRequest({ ...request, sequence: 9, ...change });
}

describe("answers of the recorded daemon", () => {
  const answered = netlink.filter(({ id, reply_len: length }) => length !== null && id !== "ip-resolve-ipv4");

  it.each(answered.map(({ id }) => id))("%s", async (id) => {
    const answer = await ask(recorded(id, "req"));
    expect(decodeNetlinkHeader(answer).pid).toBe(PID);
    const expected = recorded(id, "rep");
    answer.copy(expected, 12, 12, 16);
    expect(answer.toString("hex")).toBe(expected.toString("hex"));
  });

  it("other-client-id: none", () => {
    const reply = jest.fn();
    handler.handle(recorded("other-client-id", "req"), reply);
    expect(reply).not.toHaveBeenCalled();
    expect(handler).toMatchObject({ requests: 0, failures: 0 });
  });

  it("ip-resolve-ipv4: the recorded daemon cannot; ours answers with the GID behind the address", async () => {
    const answer = await ask(recorded("ip-resolve-ipv4", "req"));
    expect(decodeNetlinkLsAnswer(answer)).toMatchObject({
      header: { type: 0x1002, flags: 0, sequence: decodeNetlinkHeader(recorded("ip-resolve-ipv4", "req")).sequence },
      gid: Gid.parse("fe80::10:3"),
      paths: [],
    });
    expect(answer).toHaveLength(36);
  });
});

describe("IP_RESOLVE as a Linux 6.1 kernel sends it", () => {
  // Recorded in the VM rung: a route by a gateway over an interface of type InfiniBand, interface 3, destination 10.10.0.7.
  const request = Buffer.from("1c00000002100100010000000000000003000000080009200a0a0007", "hex");

  it("becomes a request for the address, with the kernel's deadline", async () => {
    await ask(request);
    expect(engine.addresses).toMatchObject([
      { destination: { kind: "ip", address: "10.10.0.7" }, deadlineMs: 1800, client: { kind: "netlink" } },
    ]);
  });

  it("for an address nobody knows is answered with the failure message", async () => {
    expect((await ask(request)).toString("hex")).toBe(
      `100000000210000101000000${Buffer.from(Uint32Array.of(PID).buffer).toString("hex")}`,
    );
  });

  it("for an IPv6 address is answered alike", async () => {
    const v6 = Buffer.from(
      `2800000002100100020000000000000003000000 14000a20 20010db8${"00".repeat(11)}02`.replaceAll(" ", ""),
      "hex",
    );
    expect(decodeNetlinkLsAnswer(await ask(v6)).gid).toBe(Gid.parse("fe80::10:3"));
  });

  it("without an address is answered with the failure message", async () => {
    const bare = Buffer.from("1400000002100100050000000000000003000000", "hex");
    expect(decodeNetlinkLsAnswer(await ask(bare))).toMatchObject({ isFailure: true, header: { sequence: 5 } });
  });
});

describe("what the engine is asked for a RESOLVE", () => {
  const query = { dgid: Gid.parse("fe80::10:3"), sgid: Gid.parse("fe80::10:1"), pkey: PKey.DEFAULT };

  it.each([
    ["ALL", NetlinkPathUse.ALL, { reversible: true, maxPaths: 3 }],
    ["UNIDIRECTIONAL", NetlinkPathUse.UNIDIRECTIONAL, { reversible: false, maxPaths: 1 }],
    ["GMP", NetlinkPathUse.GMP, { reversible: true, maxPaths: 1 }],
    ["a use of a later kernel", 7, { reversible: true, maxPaths: 1 }],
  ])("%s", async (_name, pathUse, wanted) => {
    await ask(resolveRequest({ pathUse, query }));
    const [asked] = engine.paths;
    expect(asked).toMatchObject({ ...query, dlid: 0, slid: 0, deadlineMs: 1800, ...wanted });
    expect(asked).not.toHaveProperty("serviceId");
    expect(asked).not.toHaveProperty("trafficClass");
    expect(asked).not.toHaveProperty("qosClass");
  });

  it("holds what the kernel has named, the QoS class without the bits of the SL", async () => {
    await ask(resolveRequest({ query: { ...query, serviceId: 0x0106_4e21n, tclass: 5, qosClass: 0xf120 } }));
    expect(engine.paths[0]).toMatchObject({ serviceId: 0x0106_4e21n, trafficClass: 5, qosClass: 0x120 });
  });

  it("comes from device and port where no SGID is named", async () => {
    await ask(resolveRequest({ device: "sim0", port: 1, query: { dgid: query.dgid } }));
    await ask(resolveRequest({ device: "sim0", port: 2, query: { dgid: query.dgid } }));
    await ask(resolveRequest({ device: "sim0", port: 1, query: { dgid: query.dgid, pkey: PKey.parse("0x8001") } }));
    expect(engine.paths.map(({ sgid }) => sgid)).toEqual([Gid.parse("fe80::10:1"), 0n, 0n]);
  });
});

describe("several paths", () => {
  const paths = (answer: Buffer): readonly (readonly [number, number])[] =>
    decodeNetlinkLsAnswer(answer).paths.map(({ flags, path }) => [flags, path.slid] as const);

  beforeEach(() => {
    const one = engine.resolvePath.bind(engine);
    engine.resolvePath = async (request) => {
      const answer = await one(request);
      const [path] = answer.paths;
      return { ...answer, paths: [1, 2, 3, 4].map((slid) => ({ ...path!, slid: slid as Lid })) };
    };
  });

  it("are given to who asks for ALL: the best one first, for every use; then alternates", async () => {
    expect(paths(await ask(resolveRequest({ pathUse: NetlinkPathUse.ALL })))).toEqual([
      [0x2b, 1],
      [0x2c, 2],
      [0x2c, 3],
    ]);
  });

  it("are not given to who asks for one", async () => {
    expect(paths(await ask(resolveRequest({ pathUse: NetlinkPathUse.GMP })))).toEqual([[0x2b, 1]]);
    expect(paths(await ask(resolveRequest({ pathUse: NetlinkPathUse.UNIDIRECTIONAL })))).toEqual([[0x0a, 1]]);
  });
});

describe("counters", () => {
  it("count the kernel's requests as RESOLVE requests, whatever becomes of them", async () => {
    await ask(resolveRequest({}));
    await ask(recorded("resolve-unknown-dgid", "req"));
    await ask(recorded("resolve-bad-attr-length", "req"));
    await ask(recorded("ip-resolve-ipv4", "req"));
    expect(edge).toMatchObject({ resolve: 4, error: 1, noData: 1 });
    await ask(recorded("set-timeout-op", "req"));
    expect(edge).toMatchObject({ resolve: 4, error: 1, noData: 1 });
    expect(handler).toMatchObject({ requests: 5, failures: 3 });
  });
});

describe("limits", () => {
  it("answers a hit of the caches in the turn it was asked in", async () => {
    const answer = await engine.resolvePath({
      dgid: Gid.parse("fe80::10:3"),
      sgid: Gid.zero,
      dlid: Lid.zero,
      slid: Lid.zero,
      pkey: PKey.zero,
      client: { id: 0, kind: "netlink" },
    });
    const cached = Object.assign(engine, { tryResolvePathCached: () => answer });
    const reply = jest.fn();
    handler.handle(resolveRequest({}), reply);
    expect(reply).toHaveBeenCalledTimes(1);
    expect(cached.paths).toHaveLength(1);
  });

  it(`fails what exceeds ${MAX_KERNEL_REQUESTS} requests in work, and takes more when they are done`, async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const one = engine.resolvePath.bind(engine);
    engine.resolvePath = async (request) => {
      await held;
      return await one(request);
    };
    const answers = Array.from({ length: MAX_KERNEL_REQUESTS }, () => ask(resolveRequest({})));
    expect(decodeNetlinkLsAnswer(await ask(resolveRequest({}))).isFailure).toBe(true);
    release();
    expect((await Promise.all(answers)).every((answer) => answer.length === 92)).toBe(true);
    expect((await ask(resolveRequest({}))).length).toBe(92);
  });

  it("fails requests in work when it is closed", async () => {
    engine.resolvePath = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => {
          reject(new Error("aborted"));
        });
      });
    const answer = ask(resolveRequest({}));
    handler.close();
    expect(decodeNetlinkLsAnswer(await answer).isFailure).toBe(true);
  });

  it("gives one answer to every message cut or changed anywhere, and never throws", async () => {
    const whole = recorded("resolve-all-dgid-sgid-pkey", "req");
    for (let at = 16; at < whole.length; at++) {
      const cut = Buffer.from(whole.subarray(0, at));
      cut.writeUInt32LE(at, 0);
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      for (const message of [cut, changed]) {
        const { sequence } = decodeNetlinkHeader(message);
        expect(decodeNetlinkHeader(await ask(message))).toMatchObject({ type: 0x1000, sequence });
      }
    }
  });
});

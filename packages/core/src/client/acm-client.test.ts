import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyPathRecord, Gid, type Lid } from "@verbena/ib";
import { RecordedFabric } from "../../test/support/recorded-fabric.js";
import { createAcmHandler } from "../acm/index.js";
import { type AcmServer, createAcmServer } from "../server/index.js";
import { VirtualClock } from "../testing/index.js";
import { AcmClient, type AcmConnectOptions } from "./acm-client.js";

const dir = mkdtempSync(join(tmpdir(), "acm-client-"));
const socketPath = join(dir, "s");
const NODE2 = Gid.parse("fe80::10:3");
const open: AcmClient[] = [];

async function connect(options: Partial<AcmConnectOptions> = {}): Promise<AcmClient> {
  const client = await AcmClient.connect({ socketPath, ...options });
  open.push(client);
  return client;
}

/** The code a call fails with. */
function failure(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "none",
    (error: unknown) => (error as { readonly code: string }).code,
  );
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});

describe("AcmClient against our server", () => {
  let server: AcmServer;
  const fabric = new RecordedFabric();
  beforeAll(async () => {
    const listeners = [
      { kind: "unix", path: socketPath },
      { kind: "loop", port: 0 },
    ] as const;
    server = await createAcmServer({ listeners, handler: createAcmHandler({ engine: fabric }) });
  });
  afterAll(() => server.close());

  it("resolves by name, IPv4, IPv6, and says which source was chosen", async () => {
    const client = await connect();
    const named = await client.resolve({ source: "node1", destination: "node2" });
    expect(named.path).toMatchObject({ dgid: NODE2, dlid: 3, slid: 1, mtu: 4, rate: 3, packetLifeTime: 18 });
    expect(named).not.toHaveProperty("source");
    expect(named.paths).toEqual([{ flags: 0x2b, path: named.path }]);
    expect((await client.resolve({ destination: "192.0.2.2" })).source).toBe("192.0.2.1");
    expect((await client.resolve({ destination: "2001:db8::3" })).source).toBe("2001:db8::1");
  });

  it("does not ask for an address with a scope, whose code says why", async () => {
    const client = await connect();
    expect(await failure(client.resolve({ destination: "fe80::1%ib0" }))).toBe("VERBENA_RESOLVE_DESTINATION_SYNTAX");
  });

  it("resolves by LID and GID, also over TCP", async () => {
    const address = server.addresses[1];
    if (address?.kind !== "tcp") throw new Error("no TCP address");
    const client = await AcmClient.connect({ host: "127.0.0.1", port: address.port });
    open.push(client);
    expect((await client.resolvePath({ dlid: 3 as Lid })).path.dgid).toBe(NODE2);
    expect((await client.resolvePath({ dgid: NODE2 })).path.dlid).toBe(3);
  });

  it("passes a record to the SA", async () => {
    const client = await connect();
    const path = await client.querySa({ ...emptyPathRecord(), dgid: NODE2 });
    expect(path).toMatchObject({ dlid: 3, mtu: 4 });
    await expect(client.querySa({ ...emptyPathRecord(), dgid: Gid.parse("fe80::99") })).rejects.toMatchObject({
      code: "VERBENA_CLIENT_STATUS",
      details: { operation: "QUERY_SA", status: 3, name: "ENODATA" },
    });
  });

  it("gives the status of a failure by number and name", async () => {
    const client = await connect();
    await expect(client.resolve({ source: "nobody", destination: "node2" })).rejects.toMatchObject({
      code: "VERBENA_CLIENT_STATUS",
      details: { operation: "RESOLVE", status: 7, name: "ESRCADDR" },
    });
    await expect(client.resolve({ source: "node1", destination: "gone", noDelay: true })).rejects.toMatchObject({
      details: { status: 3 },
    });
    await expect(client.resolve({ destination: "node2" })).rejects.toMatchObject({ details: { status: 10 } });
  });

  it("reads counters and endpoints", async () => {
    fabric.endpointCounters = { ...fabric.counters(), routeCache: 12 };
    const client = await connect();
    expect((await client.perf()).resolve).toBeGreaterThan(0);
    expect((await client.perf({ index: 1 })).routeCache).toBe(12);
    expect((await client.perf({ address: "node1" })).routeCache).toBe(12);
    await expect(client.perf({ index: 2 })).rejects.toMatchObject({ details: { status: 7 } });
    expect(await client.endpoint(1, 1)).toMatchObject({ port: 1, pkey: 0xffff, provider: "ibacmp" });
    expect(await client.endpoint(1, 2)).toBeUndefined();
    const all = await client.endpoints();
    expect(all).toHaveLength(1);
    expect(all[0]).toMatchObject({ index: 1, addresses: ["192.0.2.1/24", "node1", "2001:db8::1"] });
  });

  it("keeps many calls apart, pipelined or not", async () => {
    for (const pipelined of [false, true]) {
      const client = await connect({ pipelined });
      const lids = Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? 3 : 4));
      const found = await Promise.all(lids.map((dlid) => client.resolvePath({ dlid: dlid as Lid })));
      expect(found.map(({ path }) => path.dlid)).toEqual(lids);
    }
  });
});

describe("AcmClient against a service that misbehaves", () => {
  const clock = new VirtualClock();
  const requests: Buffer[] = [];
  const sockets: Socket[] = [];
  let server: Server;
  let wake: (() => void) | undefined;

  beforeAll(async () => {
    rmSync(socketPath, { force: true });
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => undefined);
      socket.on("data", (request) => {
        requests.push(request);
        wake?.();
      });
    });
    await new Promise<void>((listening) => server.listen(socketPath, listening));
  });
  beforeEach(() => {
    requests.length = 0;
    sockets.length = 0;
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  async function request(n: number): Promise<Buffer> {
    while (requests.length <= n) await new Promise<void>((arrived) => (wake = arrived));
    return requests[n]!;
  }

  /** Header-only reply to `request`, status 3. */
  function refusal(request: Buffer): Buffer {
    const reply = Buffer.from(request.subarray(0, 16));
    reply[2] = 3;
    reply.set(new Uint8Array(Uint16Array.of(16).buffer), 6);
    return reply;
  }

  it("times out, drops the late reply, and goes on with the next call", async () => {
    const client = await connect({ clock });
    const first = client.resolve({ destination: "192.0.2.2", deadlineMs: 50 });
    const second = client.resolve({ destination: "192.0.2.3" });
    await request(0);
    await clock.settle();
    expect(requests).toHaveLength(1); // one open request at a time
    const outcome = failure(first);
    await clock.advance(50);
    expect(await outcome).toBe("VERBENA_CLIENT_TIMEOUT");
    const next = await request(1);
    sockets[0]?.write(Buffer.concat([refusal(requests[0]!), refusal(next)]));
    await expect(second).rejects.toMatchObject({ code: "VERBENA_CLIENT_STATUS", details: { status: 3 } });
    expect(clock.pending).toBe(0);
  });

  it("aborts a call that waits to be sent, one that waits for its reply, and one not begun", async () => {
    const client = await connect({ clock });
    const controller = new AbortController();
    const calls = [1, 2].map(() => client.resolve({ destination: "192.0.2.2", signal: controller.signal }));
    await request(0);
    const outcome = Promise.all(
      calls.map((call) => expect(call).rejects.toMatchObject({ code: "VERBENA_CLIENT_ABORTED", cause: "enough" })),
    );
    controller.abort("enough");
    await outcome;
    await expect(client.resolve({ destination: "192.0.2.2", signal: controller.signal })).rejects.toMatchObject({
      code: "VERBENA_CLIENT_ABORTED",
    });
    expect(requests).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it("settles pending calls on close and refuses later ones; close twice is once", async () => {
    const client = await connect({ clock });
    const call = failure(client.perf());
    await request(0);
    await Promise.all([client.close(), client.close()]);
    expect(await call).toBe("VERBENA_CLIENT_CLOSED");
    await expect(client.perf()).rejects.toMatchObject({ code: "VERBENA_CLIENT_CLOSED" });
  });

  it("settles pending calls when the service closes", async () => {
    const client = await connect({ clock });
    const call = failure(client.perf());
    await request(0);
    sockets[0]?.end();
    expect(await call).toBe("VERBENA_CLIENT_CLOSED");
  });

  it.each([
    ["a length below 16", "0182000000000000"],
    ["another operation", "0183000000000010"],
    ["more counters than bytes", "0182000700000010"],
  ])("calls %s no reply of the protocol", async (_, start) => {
    const client = await connect({ clock });
    const call = failure(client.perf());
    const sent = await request(0);
    sockets[0]?.write(Buffer.concat([Buffer.from(start, "hex"), sent.subarray(8)]));
    expect(await call).toBe("VERBENA_CLIENT_PROTOCOL");
  });

  it("takes a reply in any segmentation", async () => {
    const client = await connect({ clock });
    const call = client.perf();
    const sent = await request(0);
    const reply = Buffer.concat([Buffer.from("0182000700000048", "hex"), sent.subarray(8), Buffer.alloc(56, 0)]);
    reply[23] = 9;
    const cuts = [0, 1, 7, 15, 16, 40, reply.length];
    for (const [n, cut] of cuts.entries()) {
      sockets[0]?.write(reply.subarray(cut, cuts[n + 1]));
      await clock.settle();
    }
    expect((await call).error).toBe(9);
  });

  it("says why it cannot connect", async () => {
    await expect(AcmClient.connect({ socketPath: join(dir, "nobody") })).rejects.toMatchObject({
      code: "VERBENA_CLIENT_CONNECT",
      errno: 2,
      syscall: "connect",
    });
  });
});

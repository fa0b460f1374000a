import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { connect, createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodePathRecord } from "@verbena/ib";
import { answerOf, clientUsages, FakeEngine, saPort } from "../../test/support/fake-engine.js";
import { ControlClient } from "../client/control-client.js";
import { coreError } from "../errors.js";
import { silentLogger } from "../host/default-services.js";
import { type ControlServer, createControlServer } from "./control-server.js";
import type { StatusJson } from "./wire.js";

const status: StatusJson = {
  name: "verbena",
  version: "0.1.0",
  pid: 1,
  state: "ready",
  uptimeMs: 5,
  listening: ["/run/x"],
  clients: 2,
  reloads: 0,
  endpoints: { ready: 1, joining: 0, failed: 0 },
  providers: ["sa"],
  warnings: [],
};

let folder: string;
let path: string;
let engine: FakeEngine;
let server: ControlServer;
let client: ControlClient;
let logged: string[];
let reload: () => Promise<{ applied: string[]; needRestart: string[]; warnings: string[] }>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbena-control-"));
  path = join(folder, "acm.sock.ctl");
  engine = new FakeEngine();
  reload = () => Promise.resolve({ applied: ["sa"], needRestart: [], warnings: [] });
  logged = [];
  server = await createControlServer({
    path,
    host: { engine, status: () => status, reload: () => reload() },
    logger: { ...silentLogger, error: (message) => logged.push(message) },
  });
  client = new ControlClient({ path });
});

afterEach(async () => {
  await client.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

function raw(method: string, url: string, body = ""): Promise<{ status: number | undefined; body: unknown }> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: path, method, path: url }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", () => {
        resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(pieces).toString()) });
      });
    });
    call.on("error", reject);
    call.end(body);
  });
}

describe("control socket", () => {
  it("is readable and writable by owner and group only", async () => {
    expect((await stat(path)).mode & 0o777).toBe(0o660);
  });

  it("tells status, endpoints, counters and caches with 64-bit values as text", async () => {
    expect(await client.status()).toEqual(status);
    const { endpoints } = await client.endpoints();
    expect(endpoints).toEqual([
      {
        key: "sim0/1/0xffff",
        device: "sim0",
        nodeGuid: "0x0000000000100000",
        port: 1,
        portCount: 1,
        pkey: "0xffff",
        state: "ready",
        lid: 4,
        gid: "fe80::10:1",
        provider: "sa",
        addresses: ["node1", "192.0.2.1/24"],
        counters: { error: 1, resolve: 2, noData: 3, addressQuery: 4, addressCache: 5, routeQuery: 6, routeCache: 7 },
        groups: [
          {
            mgid: "ff15:4001:ffff:3:400::",
            role: "base",
            state: "joined",
            mlid: 0xc001,
            rate: 3,
            rateGbps: 10,
            mtu: 4,
            mtuBytes: 2048,
            sl: 0,
            trafficClass: 0,
          },
        ],
        duplicates: [{ address: "192.0.2.9", first: "fe80::10:3", second: "fe80::10:4", ageMs: 1500 }],
      },
    ]);
    expect(await client.stats()).toMatchObject({ counters: { routeCache: 7 }, clients: 2, uptimeMs: 5, sa: [saPort] });
    expect(await client.clients()).toEqual(clientUsages);
    expect((await client.cache()).entries).toEqual([
      {
        cache: "address",
        endpoint: "sim0/1/0xffff",
        destination: "node2",
        state: "positive",
        provider: "sa",
        from: "provider",
        gid: "fe80::10:3",
        ageMs: 10,
        expiresInMs: 20,
      },
    ]);
  });

  it("resolves, with the record's bytes beside the readable fields", async () => {
    const answer = await client.resolve({ destination: "Node2", source: "192.0.2.1", deadlineMs: 500, maxPaths: 2 });
    expect(engine.requests[0]).toMatchObject({
      destination: { kind: "name", name: "node2", text: "Node2" },
      source: { kind: "ip", address: "192.0.2.1" },
      deadlineMs: 500,
      maxPaths: 2,
      client: { kind: "control" },
    });
    expect(answer.paths[0]).toMatchObject({
      dgid: "fe80::10:3",
      sgid: "fe80::10:1",
      dlid: 7,
      slid: 4,
      pkey: "0xffff",
      serviceId: "0x1000000000000001",
      reversible: true,
      mtu: 4,
      mtuBytes: 2048,
      rate: 3,
      rateGbps: 10,
    });
    expect(decodePathRecord(Buffer.from(answer.paths[0]?.record ?? "", "hex"))).toEqual(answerOf(7).paths[0]);
    expect(answer).toMatchObject({ generation: 3, requestId: "r1", provenance: { address: { from: "cache" } } });
    expect(answer).not.toHaveProperty("expiresInMs");
  });

  it("explains, a failure included", async () => {
    const explained = await client.explain({ destination: "Node2", source: "192.0.2.1", maxPaths: 2 });
    expect(engine.requests[0]).toMatchObject({ destination: { name: "node2" }, maxPaths: 2 });
    expect(explained).toMatchObject({
      requestId: "r1",
      destination: "Node2",
      tookMs: 2,
      steps: [{ step: "endpoint", tookMs: 1, state: "ready", endpoint: { nodeGuid: "0x0000000000100000" } }],
      answer: { paths: [{ dlid: 7 }] },
    });
    engine.answer = () => Promise.reject(coreError("VERBENA_RESOLVE_NO_DATA", { details: { destination: "x" } }));
    const failed = await client.explain({ destination: "x" });
    expect(failed.error).toMatchObject({ code: "VERBENA_RESOLVE_NO_DATA", message: "x is not known" });
    expect(failed.answer).toBeUndefined();
    expect(await raw("POST", "/v1/explain", '{"destination":"a","noDelay":true}')).toMatchObject({ status: 400 });
  });

  it("compares groups with the SA's paths, and says whether they may be used", async () => {
    const check = await client.checkGroups({ destination: "node2", source: "192.0.2.1", deadlineMs: 500 });
    expect(engine.requests[0]).toMatchObject({ destination: { name: "node2" }, deadlineMs: 500 });
    expect(check).toMatchObject({
      destination: "node2",
      endpoint: { key: "sim0/1/0xffff" },
      gid: "fe80::10:3",
      forward: { dlid: 7 },
      group: "ff15:4001:ffff:3:400::",
      groups: [
        { mgid: "ff15:4001:ffff:3:400::", role: "base", problems: [] },
        { mgid: "ff15:4001:ffff:10:500::", role: "preferred", problems: [expect.any(String)] },
      ],
      isUsable: true,
    });
    engine.problems = ["SL 0, but the path back has SL 1"];
    expect(await client.checkGroups({ destination: "node2" })).toMatchObject({ isUsable: false });
    expect(await raw("POST", "/v1/multicast/check", '{"destination":"a","noDelay":true}')).toMatchObject({
      status: 400,
    });
  });

  it("hands on the engine's failures with code, message and hint", async () => {
    engine.answer = () => Promise.reject(coreError("VERBENA_RESOLVE_TIMEOUT", { details: { destination: "node9" } }));
    await expect(client.resolve({ destination: "node9" })).rejects.toMatchObject({
      code: "VERBENA_RESOLVE_TIMEOUT",
      message: "no answer about node9 before the deadline",
      hint: expect.stringContaining("subnet manager") as string,
    });
    expect(await raw("POST", "/v1/resolve", '{"destination":"node9"}')).toMatchObject({ status: 504 });
  });

  it("takes a client that breaks off in the middle of its request for no failure of its own", async () => {
    const socket = connect(path);
    socket.write("POST /v1/cache/flush HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
    // Answered by the same process, after what was written before.
    await client.status();
    socket.destroy();
    await once(socket, "close");
    await client.status();
    await server.close();
    expect(logged).toEqual([]);
  });

  it("aborts the request in work when the client goes away", async () => {
    const abort = new AbortController();
    const isAborted = new Promise<void>((resolve) => {
      engine.answer = ({ signal }) => {
        signal?.addEventListener("abort", () => {
          resolve();
        });
        abort.abort();
        return new Promise(() => undefined);
      };
    });
    await expect(client.resolve({ destination: "node9" }, { signal: abort.signal })).rejects.toMatchObject({
      code: "VERBENA_CLIENT_ABORTED",
    });
    await isAborted;
  });

  it("flushes one destination or everything", async () => {
    expect(await client.flush()).toEqual({ flushed: 5 });
    expect(await client.flush("lid:9")).toEqual({ flushed: 1 });
    expect(engine.flushed).toEqual([undefined, { kind: "lid", lid: 9, text: "9" }]);
  });

  it("reloads, or tells why not", async () => {
    expect(await client.reload()).toEqual({ applied: ["sa"], needRestart: [], warnings: [] });
    reload = () => Promise.reject(coreError("VERBENA_CONFIG_INVALID", { details: { problems: "a.yaml:1: no" } }));
    await expect(client.reload()).rejects.toMatchObject({ code: "VERBENA_CONFIG_INVALID", message: "a.yaml:1: no" });
  });

  it("streams changes until the client leaves", async () => {
    const abort = new AbortController();
    const changes = client.watch({ signal: abort.signal });
    expect((await changes.next()).value).toEqual({ type: "watching" });
    engine.emit({ type: "flushed", reason: "test" });
    expect((await changes.next()).value).toEqual({ type: "flushed", reason: "test" });
    abort.abort();
    await expect(changes.next()).rejects.toMatchObject({ code: "VERBENA_CLIENT_ABORTED" });
  });

  it("streams what the providers do, on the endpoint that is named", async () => {
    const reports = client.watchProviders({ endpoint: "sim0/1/0xffff" });
    expect((await reports.next()).value).toEqual({ type: "watching" });
    const report = {
      type: "event",
      endpoint: "sim0/1/0xffff",
      provider: "acm",
      time: "2026-01-01T00:00:00.000Z",
      event: { type: "request", way: "in", wanted: "node1" },
    } as const;
    engine.report(report);
    engine.report({ type: "lagged", dropped: 3 });
    expect([(await reports.next()).value, (await reports.next()).value]).toEqual([
      report,
      { type: "lagged", dropped: 3 },
    ]);
    await reports.return(undefined);
    const all = client.watchProviders();
    await all.next();
    await all.return(undefined);
    expect(engine.watchedEndpoints).toEqual(["sim0/1/0xffff", undefined]);
  });

  it("ends a watch when the server closes", async () => {
    const changes = client.watch();
    await changes.next();
    const [, last] = await Promise.all([server.close(), changes.next()]);
    expect(last.done).toBe(true);
  });

  it.each([
    ["GET", "/v1/nothing", "", 404, "VERBENA_CONTROL_NOT_FOUND"],
    ["GET", "/v1/constructor", "", 404, "VERBENA_CONTROL_NOT_FOUND"],
    ["DELETE", "/v1/cache", "", 405, "VERBENA_CONTROL_METHOD"],
    ["POST", "/v1/resolve", "{", 400, "VERBENA_CONTROL_BODY"],
    ["POST", "/v1/resolve", "{}", 400, "VERBENA_CONTROL_BODY"],
    ["POST", "/v1/resolve", '{"destination":"a","maxPaths":128}', 400, "VERBENA_CONTROL_BODY"],
    ["POST", "/v1/resolve", '{"destination":"a","colour":1}', 400, "VERBENA_CONTROL_BODY"],
    ["POST", "/v1/resolve", '{"destination":"lid:0"}', 400, "VERBENA_RESOLVE_DESTINATION_SYNTAX"],
    ["POST", "/v1/resolve", JSON.stringify({ destination: "x".repeat(65_536) }), 413, "VERBENA_CONTROL_BODY_SIZE"],
  ])("answers %s %s %s with %d", async (method, url, body, expected, code) => {
    expect(await raw(method, url, body)).toMatchObject({ status: expected, body: { error: { code } } });
  });

  it("hides nothing of an unforeseen failure", async () => {
    engine.answer = () => Promise.reject(new Error("out of cheese"));
    expect(await raw("POST", "/v1/resolve", '{"destination":"a"}')).toMatchObject({
      status: 500,
      body: {
        error: { code: "VERBENA_CONTROL_INTERNAL", message: expect.stringContaining("out of cheese") as string },
      },
    });
  });

  it("closes twice, also with an idle keep-alive client", async () => {
    await client.status();
    await Promise.all([server.close(), server.close()]);
    await expect(client.status()).rejects.toMatchObject({ code: "VERBENA_CLIENT_CONNECT" });
    await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("ControlClient", () => {
  it("says where it found no daemon", async () => {
    await using nobody = new ControlClient({ path: join(folder, "none.ctl") });
    await expect(nobody.status()).rejects.toMatchObject({
      code: "VERBENA_CLIENT_CONNECT",
      syscall: "connect",
      errno: 2,
    });
  });

  it("asks again where the daemon closed a connection that had been idle", async () => {
    const requests: number[] = [];
    let connections = 0;
    await using daemon = createSocketServer();
    daemon.on("connection", (socket) => {
      const connection = ++connections;
      let isUsed = false;
      socket.on("data", () => {
        requests.push(connection);
        if (isUsed) socket.destroy();
        else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
        isUsed = true;
      });
    });
    const daemonPath = join(folder, "idle.ctl");
    await new Promise<void>((resolve) => daemon.listen(daemonPath, resolve));
    await using asking = new ControlClient({ path: daemonPath });
    await asking.status();
    await asking.status();
    expect(requests).toEqual([1, 1, 2]);
  });

  it("does not ask again where a new connection is reset", async () => {
    let connections = 0;
    await using daemon = createSocketServer();
    daemon.on("connection", (socket) => {
      connections += 1;
      socket.once("data", () => socket.destroy());
    });
    const daemonPath = join(folder, "reset.ctl");
    await new Promise<void>((resolve) => daemon.listen(daemonPath, resolve));
    await using asking = new ControlClient({ path: daemonPath });
    await expect(asking.status()).rejects.toMatchObject({ code: "VERBENA_CLIENT_CONNECT" });
    expect(connections).toBe(1);
  });

  it("gives up after its time", async () => {
    engine.answer = () => new Promise(() => undefined);
    await expect(client.resolve({ destination: "a" }, { timeoutMs: 20 })).rejects.toMatchObject({
      code: "VERBENA_CLIENT_TIMEOUT",
      message: expect.stringMatching(/ did not answer POST \/v1\/resolve within 20 ms$/) as string,
    });
  });

  it("takes a time longer than a timer can wait", async () => {
    await expect(client.status({ timeoutMs: 2 ** 40 })).resolves.toMatchObject({ state: expect.any(String) as string });
  });

  it("refuses calls after close and ends those in work", async () => {
    engine.answer = () => new Promise(() => undefined);
    const pending = client.resolve({ destination: "a" });
    await client.close();
    await expect(pending).rejects.toMatchObject({ code: "VERBENA_CLIENT_CLOSED" });
    await expect(client.status()).rejects.toMatchObject({ code: "VERBENA_CLIENT_CLOSED" });
  });
});

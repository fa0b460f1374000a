import { existsSync, lstatSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AcmClientHandle, AcmReply, AcmServer, AcmServerOptions } from "../src/server/index.js";
import { VirtualClock } from "../src/testing/index.js";
import { ACM_SERVERS, REFUSAL_OF_RING } from "./support/acm-servers.js";
import { RawClient } from "./support/raw-client.js";

/** A PERF query: 16 bytes, big-endian length; the tid's last byte is `tid`. */
function query(tid: number): Buffer {
  const bytes = Buffer.from("01020000000000100000000000000000", "hex");
  bytes[15] = tid;
  return bytes;
}

/** Waits until `condition` holds, a turn of the loop at a time. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe.each(ACM_SERVERS)("server of the client protocol %s", (_name, startServer) => {
  const dir = mkdtempSync(join(tmpdir(), "acm-server-"));
  const path = join(dir, "s");
  const clock = new VirtualClock();
  const asked: { client: AcmClientHandle; request: Buffer; reply: AcmReply }[] = [];
  let server: AcmServer | undefined;
  const clients: RawClient[] = [];

  async function start(options: Partial<AcmServerOptions> = {}): Promise<AcmServer> {
    server = await startServer({
      listeners: [{ kind: "unix", path }],
      clock,
      handler: {
        handle: (client, request, reply) => {
          asked.push({ client, request, reply });
        },
      },
      ...options,
    });
    return server;
  }

  /** Answers each request with itself, at once. */
  const echo = {
    handle: (_: AcmClientHandle, request: Buffer, reply: AcmReply) => {
      reply(request);
    },
  };

  async function open(of: AcmServer | undefined = server, which = 0): Promise<RawClient> {
    const client = await RawClient.open(of?.addresses[which]);
    clients.push(client);
    return client;
  }

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    server?.destroy();
    await server?.close();
    server = undefined;
    asked.length = 0;
  });
  afterAll(() => {
    rmSync(dir, { recursive: true });
  });

  it("serves split and glued requests, one write each", async () => {
    await start({ handler: echo });
    const client = await open();
    client.send(query(1).subarray(0, 1));
    await clock.settle();
    client.send(query(1).subarray(1, 9));
    await clock.settle();
    client.send(Buffer.concat([query(1).subarray(9), query(2), query(3)]));
    expect((await client.take(48)).toString("hex")).toBe(Buffer.concat([query(1), query(2), query(3)]).toString("hex"));
  });

  it("keeps the order of replies with equal tid and lets others overtake", async () => {
    await start();
    const client = await open();
    client.send(Buffer.concat([query(1), query(1), query(2)]));
    await until(() => asked.length === 3);
    asked[1]!.reply(Buffer.from("second"));
    asked[2]!.reply(Buffer.from("other."));
    expect((await client.take(6)).toString()).toBe("other.");
    asked[0]!.reply(Buffer.from("first."));
    expect((await client.take(12)).toString()).toBe("first.second");
    asked[0]!.reply(Buffer.from("again."));
    client.send(query(9));
    await until(() => asked.length === 4);
    asked[3]!.reply(Buffer.from("fourth"));
    expect((await client.take(6)).toString()).toBe("fourth");
  });

  it("holds an incomplete message 30 s from its first byte, then closes", async () => {
    await start({ handler: echo });
    const client = await open();
    client.send(query(1).subarray(0, 1));
    await until(() => clock.pending === 1);
    await clock.advance(29_000);
    client.send(query(1).subarray(1, 8));
    await clock.settle();
    expect(server?.clientCount).toBe(1);
    await clock.advance(1_000);
    await client.closed;
    await until(() => server?.clientCount === 0 && clock.pending === 0);
  });

  it("starts the 30 s anew with each message", async () => {
    await start({ handler: echo });
    const client = await open();
    client.send(query(1).subarray(0, 8));
    await until(() => clock.pending === 1);
    await clock.advance(29_000);
    client.send(Buffer.concat([query(1).subarray(8), query(2).subarray(0, 4)]));
    await client.take(16);
    await clock.advance(29_000);
    client.send(query(2).subarray(4));
    expect((await client.take(16)).equals(query(2))).toBe(true);
    await until(() => clock.pending === 0);
  });

  it("closes a malformed stream and no other", async () => {
    await start({ handler: echo });
    const good = await open();
    const bad = await open();
    bad.send(Buffer.from("0204", "hex"));
    await bad.closed;
    good.send(query(5));
    expect((await good.take(16)).equals(query(5))).toBe(true);
  });

  it("closes on an empty read, also while a request is open", async () => {
    await start();
    const client = await open();
    client.socket.end(query(1));
    await until(() => asked.length === 1);
    await client.closed;
    expect(client.unread).toBe(0);
    const idle = await open();
    idle.socket.end();
    await idle.closed;
  });

  it("tells the handler when the client has gone and drops late replies", async () => {
    await start();
    const client = await open();
    client.send(query(1));
    await until(() => asked.length === 1);
    const { signal } = asked[0]!.client;
    expect(signal.aborted).toBe(false);
    client.destroy();
    await until(() => signal.aborted);
    asked[0]!.reply(query(1));
    await until(() => server?.clientCount === 0);
  });

  it("gives a signal that is aborted already to a handler that asks late", async () => {
    await start();
    const client = await open();
    client.send(query(1));
    await until(() => asked.length === 1);
    client.destroy();
    await until(() => server?.clientCount === 0);
    expect(asked[0]!.client.signal.aborted).toBe(true);
  });

  it("pauses a client that does not read, serves others, and closes it after 30 s", async () => {
    const big = Buffer.alloc(65_488, 7);
    let handled = 0;
    await start({
      handler: {
        handle: (_client, _request, reply) => {
          handled++;
          reply(big);
        },
      },
    });
    const deaf = await open();
    deaf.socket.pause();
    deaf.send(Buffer.concat(Array.from({ length: 4_000 }, () => query(1))));
    await until(() => clock.pending === 1);
    expect(handled).toBeLessThan(100);
    const other = await open();
    other.send(query(1));
    expect((await other.take(big.length)).length).toBe(big.length);
    await clock.advance(30_000);
    await until(() => server?.clientCount === 1);
  });

  it("goes on with a client that reads again", async () => {
    const big = Buffer.alloc(65_488, 7);
    await start({
      handler: {
        handle: (_client, _request, reply) => {
          reply(big);
        },
      },
    });
    const slow = await open();
    slow.socket.pause();
    slow.send(Buffer.concat(Array.from({ length: 300 }, () => query(1))));
    await until(() => clock.pending === 1);
    slow.socket.resume();
    expect((await slow.take(300 * big.length)).length).toBe(300 * big.length);
    await until(() => clock.pending === 0);
  });

  it("closes at once what exceeds the bound on unsent bytes", async () => {
    await start({ limits: { maxUnsentBytes: 100_000 } });
    const deaf = await open();
    deaf.socket.pause();
    deaf.send(Buffer.concat(Array.from({ length: 100 }, (_, n) => query(n))));
    await until(() => asked.length === 100);
    for (const { reply } of asked) reply(Buffer.alloc(65_000));
    await until(() => server?.clientCount === 0);
  });

  it("closes the client that has stalled longest when all of them hold too much", async () => {
    await start({
      limits: { maxStalledBytes: 900_000 },
      handler: {
        handle: (_client, _request, reply) => {
          reply(Buffer.alloc(800_000));
        },
      },
    });
    const first = await open();
    first.socket.pause();
    first.send(Buffer.concat([query(1), query(1)]));
    await until(() => clock.pending === 1);
    const second = await open();
    await until(() => server?.clientCount === 2); // who has connected need not have been accepted
    second.socket.pause();
    second.send(Buffer.concat([query(1), query(1)]));
    await until(() => server?.clientCount === 1);
    first.socket.resume();
    await first.closed;
    expect(second.socket.closed).toBe(false);
  });

  it("stops reading at the bound on open requests and goes on when one is answered", async () => {
    await start({ limits: { maxOpenRequests: 2 } });
    const client = await open();
    client.send(Buffer.concat([query(1), query(2), query(3), query(4)]));
    await until(() => asked.length === 2);
    await clock.settle();
    expect(asked).toHaveLength(2);
    asked[1]!.reply(query(2));
    await until(() => asked.length === 3);
    asked[0]!.reply(query(1));
    await until(() => asked.length === 4);
    asked[2]!.reply(query(3));
    asked[3]!.reply(query(4));
    expect((await client.take(64)).length).toBe(64);
  });

  it("closes one client more than it takes", async () => {
    await start({ handler: echo, limits: { maxClients: 2 } });
    const first = await open();
    await open();
    await until(() => server?.clientCount === 2);
    const third = await open();
    await third.closed;
    first.send(query(1));
    expect((await first.take(16)).equals(query(1))).toBe(true);
    first.destroy();
    await until(() => server?.clientCount === 1);
    const fourth = await open();
    fourth.send(query(4));
    expect((await fourth.take(16)).equals(query(4))).toBe(true);
  });

  it("survives a handler that throws; only that client is closed", async () => {
    await start({
      handler: {
        handle: (_client, request, reply) => {
          if (request[15] === 1) throw new Error("broken");
          reply(request);
        },
      },
    });
    const client = await open();
    const other = await open();
    client.send(query(1));
    await client.closed;
    other.send(query(2));
    expect((await other.take(16)).equals(query(2))).toBe(true);
  });

  it("binds with mode 0777, replaces a stale socket, and takes its socket away on close", async () => {
    const stale = createServer().listen(join(dir, "stale"));
    await until(() => stale.listening);
    await start({ listeners: [{ kind: "unix", path: join(dir, "stale") }], handler: echo });
    expect(statSync(join(dir, "stale")).mode & 0o777).toBe(0o777);
    const client = await open();
    client.send(query(3));
    expect((await client.take(16)).equals(query(3))).toBe(true);
    const ino = lstatSync(join(dir, "stale")).ino;
    stale.close();
    expect(existsSync(join(dir, "stale"))).toBe(false); // that is what libuv does to a path it has bound
    await server!.close();
    expect(ino).toBeGreaterThan(0);
  });

  it("does not take a successor's socket away", async () => {
    const old = await start({ handler: echo });
    const next = await startServer({ listeners: [{ kind: "unix", path }], handler: echo });
    await old.close();
    expect(existsSync(path)).toBe(true);
    const client = await open(next);
    client.send(query(3));
    expect((await client.take(16)).equals(query(3))).toBe(true);
    client.destroy();
    await next.close();
    expect(existsSync(path)).toBe(false);
  });

  it("replaces a symbolic link but refuses other files", async () => {
    const file = join(dir, "file");
    writeFileSync(file, "kept");
    await expect(start({ listeners: [{ kind: "unix", path: file }] })).rejects.toMatchObject({
      code: "VERBENA_SERVER_PATH",
    });
    const link = join(dir, "link");
    symlinkSync(file, link);
    await start({ listeners: [{ kind: "unix", path: link }] });
    expect(lstatSync(link).isSocket()).toBe(true);
    expect(statSync(file).size).toBe(4);
  });

  it("names what is wrong with a path or port", async () => {
    await expect(start({ listeners: [{ kind: "unix", path: `/${"x".repeat(107)}` }] })).rejects.toMatchObject({
      code: "VERBENA_SERVER_PATH_LENGTH",
    });
    await expect(start({ listeners: [{ kind: "unix", path: join(dir, "no", "s") }] })).rejects.toMatchObject({
      code: "VERBENA_SERVER_LISTEN",
      syscall: expect.stringMatching(/^(bind|listen)$/) as string,
      // The name that was given, not the one that is bound first.
      message: expect.stringMatching(/^cannot listen on (\S+\/no\/s): (?!.*\/no\/\.)/) as string,
    });
    const first = await start({ listeners: [{ kind: "loop", port: 0 }] });
    const [address] = first.addresses;
    if (address?.kind !== "tcp") throw new Error("no TCP address");
    const both = [
      { kind: "unix", path },
      { kind: "loop", port: address.port },
    ] as const;
    await expect(startServer({ listeners: both, handler: echo })).rejects.toMatchObject({
      code: "VERBENA_SERVER_LISTEN",
      errno: 98,
    });
    expect(existsSync(path)).toBe(false);
  });

  it("takes a path of the full 107 bytes", async () => {
    const full = join(dir, "x".repeat(107 - dir.length - 1));
    await start({ listeners: [{ kind: "unix", path: full }], handler: echo });
    const client = await open();
    client.send(query(3));
    expect((await client.take(16)).equals(query(3))).toBe(true);
    expect(lstatSync(full).isSocket()).toBe(true);
  });

  it("serves loopback TCP beside the Unix socket and tells the kinds apart", async () => {
    await start({
      listeners: [
        { kind: "unix", path },
        { kind: "loop", port: 0 },
      ],
    });
    (await open(server, 0)).send(query(1));
    await until(() => asked.length === 1);
    (await open(server, 1)).send(query(2));
    await until(() => asked.length === 2);
    expect(asked[0]!.client).toMatchObject({ kind: "unix", pid: process.pid, uid: process.getuid?.() });
    expect(asked[1]!.client.kind).toBe("tcp");
    expect(asked[1]!.client).not.toHaveProperty("uid");
    expect(asked[0]!.client.id).not.toBe(asked[1]!.client.id);
  });

  it("writes replies under way before it closes, and waits no longer than closeMs", async () => {
    const closing = await start();
    const client = await open();
    const late = await open();
    client.send(query(1));
    late.send(query(2));
    await until(() => asked.length === 2);
    const closed = closing.close();
    expect(closing.close()).toBe(closed);
    asked.find(({ request }) => request[15] === 1)!.reply(query(1));
    expect((await client.take(16)).equals(query(1))).toBe(true);
    await client.closed;
    await until(() => closing.clientCount === 1);
    await clock.advance(1_000);
    await closed;
    await late.closed;
    await until(() => clock.pending === 0);
  });
});

if (REFUSAL_OF_RING !== undefined) {
  it.skip(`server of the client protocol on a ring (${REFUSAL_OF_RING})`, () => undefined);
}

import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { openNative } from "../src/index.js";
import { dial, pair, TcpDoor } from "./tcp-ends.js";

const coded = (code: string, errno: number) => expect.objectContaining({ code, errno }) as Error;

test.each([
  ["127.0.0.2", "127.0.0.3"],
  ["::1", "::1"],
])("a connection from %s to %s carries bytes both ways and knows its ends", async (from, to) => {
  await using native = openNative();
  const [client, server] = await pair(native.tcp, from, to);
  expect(server.stream.remote).toEqual({ host: from, port: client.stream.local.port });
  expect(server.stream.local).toEqual(client.stream.remote);
  expect(client.stream.write([Buffer.from("-Relia"), Buffer.from("ble")], 1)).toBe(8);
  await server.until(() => server.readable > 0);
  expect(server.readAll()).toEqual({ bytes: Buffer.from("Reliable"), end: 0 });
  server.stream.write([Buffer.from("datagram")], 0);
  await client.until(() => client.readable > 0);
  expect(client.readAll().bytes.toString()).toBe("datagram");
});

test("the acknowledged position is reported by an event as soon as the peer's TCP has the bytes, read or not", async () => {
  await using native = openNative();
  const [client] = await pair(native.tcp);
  expect(client.stream.ackPosition()).toBe(0);
  client.stream.write([Buffer.alloc(1000)], 0);
  await client.until(() => client.acked > 0);
  expect(client.stream.ackPosition()).toBe(1000);
  client.stream.close();
  expect(client.stream.ackPosition()).toBe(1000);
});

test("the kernel takes a part of a large batch, tells when it takes more, and every byte arrives once and in order", async () => {
  await using native = openNative();
  const [client, server] = await pair(native.tcp);
  const whole = Buffer.alloc(32 << 20);
  for (let at = 0; at < whole.length; at += 4) whole.writeUInt32LE(at, at);
  let sent = 0;
  client.stream.watchWritable(true);
  const pump = async (): Promise<number> => {
    let refusals = 0;
    while (sent < whole.length) {
      const took = client.stream.write([whole], sent);
      sent += took;
      if (took > 0) continue;
      refusals++;
      const before = client.writable;
      await client.until(() => client.writable > before);
    }
    client.stream.close();
    return refusals;
  };
  const drain = async (): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for (let seen = 0; ; ) {
      await server.until(() => server.readable > seen);
      seen = server.readable;
      const { bytes, end } = server.readAll();
      parts.push(bytes);
      if (end === -1) return Buffer.concat(parts);
    }
  };
  const [refusals, arrived] = await Promise.all([pump(), drain()]);
  expect(refusals).toBeGreaterThan(0);
  expect(arrived.equals(whole)).toBe(true);
});

test("after the peer's reset the position is the one of before it, and what the peer had sent is still read", async () => {
  await using native = openNative();
  const [client, server] = await pair(native.tcp);
  // Until the peer, which reads nothing, has no more room: a part is acknowledged, the rest waits here.
  const block = Buffer.alloc(1 << 20);
  let written = 0;
  for (let took = -1; took !== 0; written += took) took = client.stream.write([block], 0);
  await client.until(() => client.stream.ackPosition() > 0);
  server.stream.write([Buffer.from("last words")], 0);
  await client.until(() => client.readable > 0);
  const before = client.stream.ackPosition();
  expect(before).toBeLessThan(written);
  const seen = client.readable;
  server.stream.reset();
  await client.until(() => client.readable > seen);
  expect(client.stream.ackPosition()).toBe(before);
  const { bytes, end } = client.readAll();
  expect(bytes.toString()).toBe("last words");
  expect(end).toEqual(coded("VERBENA_NATIVE_TCP", 104));
  client.stream.close();
  expect(client.stream.ackPosition()).toBe(before);
});

test("a stream that its peer has ended gives its bytes, and then its end", async () => {
  await using native = openNative();
  const [client, server] = await pair(native.tcp);
  client.stream.write([Buffer.from("half a frame")], 0);
  client.stream.close();
  await server.until(() => server.readable > 0);
  let bytes = "";
  for (let end: unknown = 0; end !== -1; ) {
    const read = server.readAll();
    bytes += read.bytes.toString();
    end = read.end;
    if (end === 0) await server.until(() => server.readable > 1);
  }
  expect(bytes).toBe("half a frame");
});

test("a connection that is refused fails with its errno, and so does one from an address that is not this host's", async () => {
  await using native = openNative();
  const door = new TcpDoor(native.tcp, "127.0.0.3");
  const { local } = door.listener;
  door.listener.close();
  door.listener.close();
  const refused = dial(native.tcp, "127.0.0.2", local);
  await refused.until(() => refused.failure !== undefined);
  expect(refused.failure).toEqual(coded("VERBENA_NATIVE_TCP", 111));
  refused.stream.close();
  expect(() => dial(native.tcp, "192.0.2.1", local)).toThrow(coded("VERBENA_NATIVE_TCP", 99));
  expect(() => dial(native.tcp, "localhost", local)).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_TCP" }));
});

test("an address that another listens on is EADDRINUSE, with the port in the message", async () => {
  await using native = openNative();
  const door = new TcpDoor(native.tcp, "127.0.0.3");
  expect(() =>
    native.tcp.listen(door.listener.local, { onAccept: () => undefined, onTrouble: () => undefined }),
  ).toThrow(
    expect.objectContaining({ errno: 98, message: expect.stringContaining(`127.0.0.3:${door.listener.local.port}`) }),
  );
});

test("after the close every method says so, the closing of the services closes what is left, and closing twice is nothing", async () => {
  const native = openNative();
  const [client, server] = await pair(native.tcp);
  client.stream.close();
  client.stream.reset();
  const closed = expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" }) as Error;
  expect(() => client.stream.read(Buffer.alloc(1), 0, 1)).toThrow(closed);
  expect(() => client.stream.write([Buffer.alloc(1)], 0)).toThrow(closed);
  expect(() => client.stream.start(client.handler)).toThrow(closed);
  expect(() => client.stream.watchWritable(true)).toThrow(closed);
  const door = new TcpDoor(native.tcp, "127.0.0.3");
  await native.close();
  expect(() => server.stream.read(Buffer.alloc(1), 0, 1)).toThrow(closed);
  expect(() => door.listener.resume()).toThrow(closed);
  expect(() => new TcpDoor(native.tcp, "127.0.0.3")).toThrow(closed);
  expect(() => dial(native.tcp, "127.0.0.2", { host: "127.0.0.3", port: 9 })).toThrow(closed);
});

test("an RDS peer finds the socket options of the kernel's RDS: no delay, and keep-alive of 5 s, 5 s, 5 probes", async () => {
  await using native = openNative();
  const peer = createServer();
  await new Promise<void>((resolve) => peer.listen(0, "127.0.0.3", resolve));
  const { port } = peer.address() as { port: number };
  const client = dial(native.tcp, "127.0.0.2", { host: "127.0.0.3", port });
  await client.until(() => client.connected === 1);
  // The timer column of the connection's row: 02 is the keep-alive timer, which expires within 5 s (in jiffies of 10 ms).
  const own = `0200007F:${client.stream.local.port.toString(16).toUpperCase().padStart(4, "0")}`;
  const row = readFileSync("/proc/net/tcp", "latin1")
    .split("\n")
    .find((line) => line.trim().split(/\s+/)[1] === own);
  const [kind, rest] = (row?.trim().split(/\s+/)[5] ?? "").split(":");
  expect(kind).toBe("02");
  expect(Number.parseInt(rest ?? "", 16)).toBeLessThanOrEqual(500);
  client.stream.close();
  peer.close();
});

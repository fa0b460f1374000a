/**
 * Malformed input against the server in a process of its own: whatever a client sends or fails to send, others are answered as
 * before, byte for byte, and the memory of the process stays where it was.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RawClient } from "./support/raw-client.js";

const VECTORS = join(__dirname, "../../ib/test/vectors/daemon");
const hex = (file: string): Buffer => Buffer.from(readFileSync(join(VECTORS, file), "utf8").trim(), "hex");
const vector = (id: string): { request: Buffer; reply: Buffer } => ({
  request: hex(`${id}.req.hex`),
  reply: hex(`${id}.rep.hex`),
});

const GOOD = vector("resolve-ipv4-with-source-cache-hit");
const MAX_GROWTH = 50 * 1024 * 1024;

/** Small and fast, and the same in every run: xorshift32. */
class Dice {
  #state: number;
  constructor(seed: number) {
    this.#state = seed;
  }
  below(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % limit;
  }
  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.below(256)));
  }
}

jest.setTimeout(180_000);

describe.each(["TypeScript", "native"])("malformed input, server: %s", (kind) => {
  const dir = mkdtempSync(join(tmpdir(), "acm-robust-"));
  const path = join(dir, "s");
  let server: ChildProcess;
  let before = 0;
  const open: RawClient[] = [];

  async function connect(): Promise<RawClient> {
    const client = await RawClient.open({ kind: "unix", path });
    open.push(client);
    return client;
  }

  async function ask(): Promise<{ rss: number; clients: number }> {
    server.send("rss");
    const [answer] = (await once(server, "message")) as [{ rss: number; clients: number }];
    return answer;
  }

  /** Waits until the server has seen that clients came or went. */
  async function clients(count: number): Promise<{ rss: number; clients: number }> {
    for (;;) {
      const now = await ask();
      if (now.clients === count) return now;
    }
  }

  /** Others are served as before. */
  async function expectService(): Promise<void> {
    const client = await RawClient.open({ kind: "unix", path });
    client.send(GOOD.request);
    expect((await client.take(GOOD.reply.length)).toString("hex")).toBe(GOOD.reply.toString("hex"));
    client.destroy();
  }

  beforeAll(async () => {
    server = fork(join(__dirname, "support/robust-server.ts"), [path, kind], {
      execArgv: [
        "--expose-gc",
        // Node 24 lets the young generation grow to twice that of Node 20, and keeps it: 30 MB that say nothing of the server.
        "--max-semi-space-size=16",
        "--conditions=@verbena/source",
        `--require=${join(__dirname, "../../../scripts/lib/typescript-hook.cjs")}`,
      ],
    });
    await once(server, "message");
    // Warm: code compiled, buffers of ordinary work in place.
    const client = await connect();
    for (let n = 0; n < 200; n++) {
      client.send(Buffer.concat(Array.from({ length: 50 }, () => GOOD.request)));
      await client.take(50 * GOOD.reply.length);
    }
    client.destroy();
    before = (await clients(0)).rss;
  });
  afterEach(async () => {
    for (const client of open.splice(0)) client.destroy();
    await clients(0);
  });
  afterAll(async () => {
    server.kill();
    await once(server, "exit");
    rmSync(dir, { recursive: true });
  });

  it.each([
    ["version 2", "bad-version.req.hex"],
    ["opcode 4", "unknown-opcode-4.req.hex"],
    ["a length that is no message's", "length-mismatch.req.hex"],
    ["a PERF length in the order of the CPU", "perf-with-little-endian-length.req.hex"],
  ])("%s: closed", async (_, file) => {
    const client = await connect();
    client.send(hex(file));
    await client.closed;
    expect(client.unread).toBe(0);
    await expectService();
  });

  it("an empty read: closed", async () => {
    const client = await connect();
    client.socket.end();
    await client.closed;
    await expectService();
  });

  it("split and glued requests are served", async () => {
    const client = await connect();
    client.send(hex("request-split-over-two-writes.req1.hex"));
    await ask();
    client.send(hex("request-split-over-two-writes.req2.hex"));
    expect((await client.take(3)).toString("hex")).toBe("010100");
    await client.take(85);
    client.send(hex("two-requests-in-one-write.req.hex"));
    const replies = await client.take(176);
    expect(replies.subarray(0, 3).toString("hex")).toBe("010100");
    expect(replies.subarray(88, 91).toString("hex")).toBe("010100");
  });

  it("a long message with other bits in its RESOLVE opcode: status 2, and nothing of the memory behind it", async () => {
    const client = await connect();
    for (const opcode of [0x11, 0x21, 0x41, 0x81, 0xf1]) {
      const message = Buffer.alloc(592, 0xff);
      message.set([1, opcode, 0, 0xff, 0xff, 0xff, 0x02, 0x50], 0);
      client.send(message);
      expect((await client.take(16)).subarray(0, 3)).toEqual(Buffer.from([1, opcode | 0x80, 2]));
    }
    expect(client.unread).toBe(0);
  });

  it("eight records and no source: status 2, header only", async () => {
    const client = await connect();
    const message = Buffer.alloc(592);
    message.set([1, 1], 0);
    message.set(new Uint8Array(Uint16Array.of(592).buffer), 6);
    message.set(hex("resolve-ipv4-without-source.req.hex").subarray(16), 16);
    client.send(message);
    expect((await client.take(16)).subarray(0, 8).toString("hex")).toBe("0181020000001000");
  });

  it("bytes 3 to 5 of a path request do not count", async () => {
    const client = await connect();
    const { request, reply } = vector("path-by-dlid-only");
    request.set([1, 200, 7], 3);
    client.send(request);
    expect((await client.take(reply.length)).toString("hex")).toBe(reply.toString("hex"));
  });

  it("a header-only RESOLVE: status 10", async () => {
    const client = await connect();
    client.send(Buffer.from("01010000000010000000000000000000", "hex"));
    expect((await client.take(16)).toString("hex")).toBe("01810a00000010000000000000000000");
  });

  it("100,000 random messages: each framed one is answered, and the memory stays where it was", async () => {
    const dice = new Dice(0xacce55);
    let [framed, broken] = [0, 0];
    while (framed + broken < 100_000) {
      const client = await connect();
      const count = 1 + dice.below(60);
      const batch = Array.from({ length: count }, () => wellFramed(dice));
      client.send(Buffer.concat(batch));
      const answered = await keysOfReplies(client, count);
      expect(answered).toEqual(batch.map(key).sort());
      client.send(outOfStep(dice));
      await client.closed;
      open.pop();
      framed += count;
      broken++;
    }
    await expectService();
    expect((await clients(0)).rss - before).toBeLessThan(MAX_GROWTH);
  });

  it("half-sent messages held open disturb nobody", async () => {
    const dice = new Dice(0x4a1f);
    for (let n = 0; n < 1_000; n++) {
      const message = wellFramed(dice);
      (await connect()).send(message.subarray(0, 1 + dice.below(message.length - 1)));
    }
    const now = await clients(1_000);
    await expectService();
    expect(now.rss - before).toBeLessThan(MAX_GROWTH);
  });

  it("5,000 idle clients disturb nobody", async () => {
    for (let n = 0; n < 5_000; n++) await connect();
    const now = await clients(5_000);
    await expectService();
    expect(now.rss - before).toBeLessThan(MAX_GROWTH);
  });

  it("clients that leave in the middle of everything disturb nobody", async () => {
    const dice = new Dice(0x1eaf);
    for (let n = 0; n < 2_000; n++) {
      const client = await connect();
      client.send(Buffer.concat([GOOD.request, GOOD.request, wellFramed(dice)].slice(dice.below(3))));
      client.destroy();
      open.pop();
    }
    await expectService();
    expect((await clients(0)).rss - before).toBeLessThan(MAX_GROWTH);
  });
});

/** Right version, an opcode that is served, the length it says: and anything inside. Half of them near a real request. */
function wellFramed(dice: Dice): Buffer {
  const records = dice.below(9);
  const message = dice.bytes(16 + 72 * records);
  message[0] = 1;
  message[1] = [1, 1, 1, 1, 2, 3, (dice.below(16) << 4) | (1 + dice.below(3))][dice.below(7)] ?? 1;
  for (let at = 16; at < message.length && dice.below(4) > 0; at += 72) {
    message.writeUInt32LE([0, 1, 2, 3, 0x4000_0002, 0x8000_0000][dice.below(6)] ?? 0, at);
    message.writeUInt16LE([1, 2, 3, 4, 5, 6, 0x10, 0x10][dice.below(8)] ?? 0, at + 4);
    if (dice.below(2) === 0) GOOD.request.copy(message, at, 16, 88);
  }
  if (message[1] === 1) message.writeUInt16LE(message.length, 6);
  else message.writeUInt16BE(message.length, 6);
  return message;
}

/** Bytes that no request begins with, some with more behind. */
function outOfStep(dice: Dice): Buffer {
  const message = dice.bytes(2 + dice.below(600));
  if (message[0] === 1) message[1] = (message[1] ?? 0) & 0xf0;
  return message;
}

/** What ties a reply to its request: the operation, and the tid. Others may overtake, so the order says nothing. */
function key(message: Buffer): string {
  return `${(message[1] ?? 0) & 0x0f} ${message.toString("hex", 8, 16)}`;
}

async function keysOfReplies(client: RawClient, count: number): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let n = 0; n < count; n++) {
    const header = await client.take(16);
    const isResolve = ((header[1] ?? 0) & 0x0f) === 1;
    await client.take((isResolve ? header.readUInt16LE(6) : header.readUInt16BE(6)) - 16);
    keys.push(key(header));
  }
  return keys.sort();
}

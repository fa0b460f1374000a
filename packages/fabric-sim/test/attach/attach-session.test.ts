import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AttachServer } from "../../src/attach/attach-server.js";
import { encodeFrame, type Frame, FrameReader } from "../../src/attach/frame.js";
import { FakeHost } from "./fake-host.js";

/** A program that speaks the protocol itself. */
class RawProgram {
  readonly #reader = new FrameReader();
  readonly #frames: Frame[] = [];
  constructor(readonly socket: Socket) {
    socket.on("data", (chunk: Buffer) => {
      this.#frames.push(...this.#reader.push(chunk));
    });
    socket.on("error", () => undefined);
  }

  send(type: number, body: Buffer, tag = 1): void {
    this.socket.write(encodeFrame(type, tag, body));
  }

  async next(): Promise<Frame> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined) return frame;
      await once(this.socket, "data");
    }
  }

  async closed(): Promise<void> {
    if (!this.socket.closed) await once(this.socket, "close");
  }
}

const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => {
    bytes.writeUInt32LE(value, i * 4);
  });
  return bytes;
};
const text = (value: string) => Buffer.concat([Buffer.from([value.length, 0]), Buffer.from(value)]);
const hello = (nodes: string, version = 3) =>
  Buffer.concat([Buffer.from("VFAB"), Buffer.from([version, 0, 0, 0]), u32(42), text(nodes), text("raw")]);

/** LRH, BTH and eight bytes; to a group with a GRH. */
const dataPacket = (dlid: number, qpn: number, mgid?: Buffer) => {
  const bth = Buffer.alloc(20);
  bth[0] = 0x04;
  bth.writeUInt16BE(0xffff, 2);
  bth.writeUInt32BE(qpn, 4);
  const lrh = Buffer.from([0, mgid === undefined ? 2 : 3, dlid >> 8, dlid & 0xff, 0, 8, 0, 1]);
  return Buffer.concat(mgid === undefined ? [lrh, bth] : [lrh, Buffer.alloc(24), mgid, bth]);
};

describe("AttachSession", () => {
  let directory: string;
  let host: FakeHost;
  let server: AttachServer;
  const open: Socket[] = [];
  const attach = async () => {
    const socket = connect(join(directory, "fabric.sock"));
    open.push(socket);
    await once(socket, "connect");
    return new RawProgram(socket);
  };

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "session-"));
    host = new FakeHost(["node1 HCA-1", "node1 HCA-2", "node2 HCA-1"]);
    server = await AttachServer.listen({ host, directory });
  });

  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await server.close();
    await server.close();
    rmSync(directory, { recursive: true });
  });

  it("chooses HCAs by id, description or first word, each once and in order", async () => {
    const program = await attach();
    program.send(1, hello("H3,node1, node1 HCA-2"));
    const { type, body } = await program.next();
    expect(type).toBe(0x8001);
    expect([body.readInt32LE(0), body.readUInt16LE(4), body.readUInt16LE(6)]).toEqual([0, 3, 3]);
    expect([body.readUInt32LE(8), body.readUInt32LE(8 + 13), body.readUInt32LE(8 + 26)]).toEqual([2, 0, 1]);
    expect(existsSync(join(directory, body.toString("utf8", 14, 21)))).toBe(true);
    expect(server.programs()).toEqual([{ pid: 42, program: "raw", hcas: ["H3", "H1", "H2"], openPorts: 0, agents: 0 }]);
  });

  it("says so when a state page cannot be written", async () => {
    mkdirSync(join(directory, "state-0.new"));
    const program = await attach();
    program.send(1, hello("H1"));
    const reply = await program.next();
    expect(reply.body.readInt32LE(0)).toBe(5);
    expect(reply.body.toString("utf8", 6)).toMatch(/no state page: .*EISDIR/);
    await program.closed();
    rmSync(join(directory, "state-0.new"), { recursive: true });
    const again = await attach();
    again.send(1, hello("H1"));
    expect((await again.next()).body.readInt32LE(0)).toBe(0);
  });

  it.each([
    ["another version", hello("H1", 4), 71, /protocol 3, this program 4/],
    ["an unknown node", hello("H1,nobody"), 19, /no HCA named "nobody"/],
    ["no node", hello(" , "), 19, /set FABRICSIM_NODE/],
  ])("refuses %s in words and hangs up", async (_what, body, errno, words) => {
    const program = await attach();
    program.send(1, body);
    const reply = await program.next();
    expect(reply.body.readInt32LE(0)).toBe(errno);
    expect(reply.body.toString("utf8", 6)).toMatch(words);
    await program.closed();
  });

  it.each([
    ["a message before HELLO", [[2, u32(0, 1)]]],
    ["a wrong magic number", [[1, Buffer.alloc(40)]]],
    [
      "a second HELLO",
      [
        [1, hello("H1")],
        [1, hello("H1")],
      ],
    ],
    [
      "an unknown type",
      [
        [1, hello("H1")],
        [99, Buffer.alloc(0)],
      ],
    ],
    [
      "a short body",
      [
        [1, hello("H1")],
        [4, Buffer.alloc(27)],
      ],
    ],
    [
      "a truncated packet",
      [
        [1, hello("H1")],
        [6, u32(1, 2, 3)],
      ],
    ],
    [
      "a packet from a port that is not there",
      [
        [1, hello("H1")],
        [10, Buffer.concat([u32(0, 2), dataPacket(2, 100)])],
      ],
    ],
    [
      "a packet on the lane of subnet management",
      [
        [1, hello("H1")],
        [10, Buffer.concat([u32(0, 1), Buffer.from([0xf0]), dataPacket(2, 100).subarray(1)])],
      ],
    ],
    [
      "a packet without its transport header",
      [
        [1, hello("H1")],
        [10, Buffer.concat([u32(0, 1), Buffer.alloc(19)])],
      ],
    ],
    [
      "a violation at a port that is not there",
      [
        [1, hello("H1")],
        [13, u32(2, 0x0101)],
      ],
    ],
    ["a text longer than its frame", [[1, hello("H1").subarray(0, 14)]]],
  ] as [string, [number, Buffer][]][])("hangs up on %s and serves others", async (_what, messages) => {
    const bad = await attach();
    for (const [type, body] of messages) bad.send(type, body);
    await bad.closed();
    const good = await attach();
    good.send(1, hello("H1"));
    expect((await good.next()).body.readInt32LE(0)).toBe(0);
    expect(server.programs()).toHaveLength(1);
  });

  it("lets a program touch only its own HCAs, ports and agents", async () => {
    const [one, two] = [await attach(), await attach()];
    one.send(1, hello("H1"));
    two.send(1, hello("H3"));
    await one.next();
    await two.next();
    const status = async (program: RawProgram, type: number, body: Buffer) => {
      program.send(type, body);
      return (await program.next()).body;
    };
    expect((await status(one, 2, u32(2, 1))).readInt32LE(0)).toBe(19);
    expect((await status(one, 2, u32(0, 2))).readInt32LE(0)).toBe(19);
    const handle = (await status(one, 2, u32(0, 1))).readUInt32LE(4);
    const request = Buffer.concat([u32(handle), Buffer.from([1, 3, 2, 1]), u32(0, 2, 0, 0, 0)]);
    const agentId = (await status(one, 4, request)).readUInt32LE(4);
    expect(agentId).toBeGreaterThan(0);
    expect((await status(two, 4, request)).readInt32LE(0)).toBe(9);
    expect((await status(two, 5, u32(agentId))).readInt32LE(0)).toBe(22);
    expect((await status(two, 7, u32(0, 0x101))).readInt32LE(0)).toBe(19);
    expect((await status(two, 7, u32(2, 0x001))).readInt32LE(0)).toBe(22);
    expect((await status(one, 3, u32(handle))).readInt32LE(0)).toBe(0);
    expect((await status(one, 3, u32(handle))).readInt32LE(0)).toBe(9);
    expect((await status(one, 5, u32(agentId))).readInt32LE(0)).toBe(22);
  });

  it("gives a packet to the program that has its queue pair number, and counts what nobody has", async () => {
    const [one, two, three] = [await attach(), await attach(), await attach()];
    for (const [program, node] of [
      [one, "H1"],
      [two, "H3"],
      [three, "H3"],
    ] as const) {
      program.send(1, hello(node));
      await program.next();
    }
    const qpns: number[] = [];
    for (const program of [two, three]) {
      program.send(9, Buffer.from([2, 0, 0, 0, 1, 0, 64, 0]));
      qpns.push((await program.next()).body.readUInt32LE(4));
    }
    const [first = 0, second = 0] = qpns;
    const packets = [first + 63, second, second + 64].map((qpn) => dataPacket(3, qpn));
    for (const packet of packets) one.send(10, Buffer.concat([u32(0, 1), packet]), 0);
    expect(await two.next()).toEqual({ type: 10, tag: 0, body: Buffer.concat([u32(2, 1), packets[0]!]) });
    expect(await three.next()).toEqual({ type: 10, tag: 0, body: Buffer.concat([u32(2, 1), packets[1]!]) });
    expect(host.unclaimedCount).toBe(1);
    three.send(13, u32(2, 0x0101), 0);
    three.send(13, u32(2, 0x0201), 0);
    three.send(14, Buffer.alloc(0));
    expect((await three.next()).body).toEqual(u32(0));
    expect(host.violations).toEqual(["H3 1 pkey", "H3 1 qkey"]);
  });

  it("copies a multicast packet to the members on the sender's own HCA, but not back to the sender", async () => {
    const mgid = Buffer.from("ff12401bffff00000000000000000001", "hex");
    const [one, two] = [await attach(), await attach()];
    for (const program of [one, two]) {
      program.send(1, hello("H1"));
      await program.next();
      program.send(11, Buffer.concat([u32(0), mgid]));
      expect((await program.next()).body.readInt32LE(0)).toBe(0);
    }
    const packet = dataPacket(0xc001, 0xffffff, mgid);
    one.send(10, Buffer.concat([u32(0, 1), packet]), 0);
    expect(await two.next()).toMatchObject({ type: 10, body: Buffer.concat([u32(0, 1), packet]) });
    const leave = async (program: RawProgram, hcaIndex: number) => {
      program.send(12, Buffer.concat([u32(hcaIndex), mgid]), 8);
      const { tag, body } = await program.next();
      return [tag, body.readInt32LE(0)];
    };
    // Its next message is the answer, so nothing came back.
    expect(await leave(one, 0)).toEqual([8, 0]);
    expect(await leave(one, 0)).toEqual([8, 22]);
    expect(await leave(one, 2)).toEqual([8, 19]);
  });

  it("survives random bytes", async () => {
    let seed = 99;
    const next = () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return seed >>> 16;
    };
    for (let i = 0; i < 200; i += 1) {
      const program = await attach();
      if (i % 2 === 0) program.send(1, hello("H1"));
      const junk = Buffer.from(Array.from({ length: next() % 200 }, () => next() & 0xff));
      if (i % 3 === 0) program.send(next() % 14, junk);
      else program.socket.write(junk);
      program.socket.end();
      await program.closed();
    }
    const good = await attach();
    good.send(1, hello("H1"));
    expect((await good.next()).body.readInt32LE(0)).toBe(0);
  });

  it("refuses a directory whose socket path is too long", async () => {
    await expect(AttachServer.listen({ host, directory: `/tmp/${"x".repeat(100)}` })).rejects.toMatchObject({
      code: "VERBENA_SIM_SOCKET_PATH",
    });
  });

  it("refuses a directory that is not there", async () => {
    await expect(AttachServer.listen({ host, directory: join(directory, "none") })).rejects.toMatchObject({
      code: "VERBENA_SIM_DIR",
    });
  });
});

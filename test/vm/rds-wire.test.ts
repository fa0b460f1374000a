import { frame, mapFrame } from "../../packages/rds/test/tcp/frames.js";
import { receiveText } from "../../packages/rds/test/tcp/rig.js";
import { type KernelLane, KernelWire, type PeerRole } from "./kernel-wire.js";

const data = (sequence: number, payload: string | Buffer, more: object = {}): Buffer =>
  frame({ sequence, sport: 7, dport: 2001, payload, ...more });

describe("the kernel's RDS over TCP, with a scripted peer", () => {
  let wire: KernelWire;
  const lane = (role: PeerRole): Promise<KernelLane> => wire.lane(role);

  beforeAll(() => {
    wire = new KernelWire("D", "10.10.0");
  });
  afterEach(() => wire.reset());
  afterAll(() => wire.close());

  test.each(["smaller", "larger"] as const)(
    "W01, W14, W34 with a %s peer: the map comes first, a probe is answered with NPATHS 8, headers are 0 where they say nothing",
    async (role) => {
      const { map, answer, connection, s2002, address } = await lane(role);
      expect([map.flags, map.length, map.sequence]).toEqual([1, 8192, 0]);
      expect(answer.extensions.toString("hex")).toBe(`050008${"00".repeat(13)}`);
      s2002.trySend("data", { to: `${address}:7` });
      const frames = [map, answer, await connection.nextData()];
      expect(frames[2]).toMatchObject({ sourcePort: 2002, destinationPort: 7, payload: Buffer.from("data") });
      for (const { raw } of frames) {
        expect(raw.subarray(8, 16).equals(Buffer.alloc(8))).toBe(true);
        expect(raw.subarray(25, 32).equals(Buffer.alloc(7))).toBe(true);
      }
    },
  );

  test("W05, W06 a header byte by byte, and a thousand frames in one write", async () => {
    const { connection, s2001 } = await lane("smaller");
    const bytes = data(2, "in pieces");
    for (const byte of bytes.subarray(0, 48)) await connection.send(Buffer.from([byte]));
    await connection.send(bytes.subarray(48));
    expect((await receiveText(s2001)).text).toBe("in pieces");
    await connection.send(...Array.from({ length: 1000 }, (_, i) => data(3 + i, String(i))));
    for (let i = 0; i < 1000; i++) expect((await receiveText(s2001)).text).toBe(String(i));
  });

  test("W07, W08, W18, W19, W32 ports, empty frames, extensions and checksums: what is delivered", async () => {
    const { connection, s2001 } = await lane("smaller");
    await connection.send(
      data(2, "to nobody", { dport: 3000 }),
      data(3, ""),
      data(4, "extended", { extensions: "0800050001" }),
      data(5, "wrong checksum", { checksum: 0x1234 }),
      data(6, "from 0", { sport: 0 }),
      data(7, "to 1", { dport: 1 }),
      data(8, "last"),
    );
    const received = [];
    for (let i = 0; i < 5; i++) received.push(await receiveText(s2001));
    expect(received).toEqual([
      { text: "", port: 7 },
      { text: "extended", port: 7 },
      { text: "wrong checksum", port: 7 },
      { text: "from 0", port: 0 },
      { text: "last", port: 7 },
    ]);
  });

  test("W09, W10 a frame is dropped only if it is flagged as repeated and its sequence is below the expected one", async () => {
    const { connection, s2001 } = await lane("smaller");
    const script = [
      [10, 0],
      [5, 0],
      [5, 4],
      [6, 4],
      [4, 4],
      [100, 4],
      [50, 4],
      [101, 0],
      [102, 0x02],
      [103, 0x40],
      [104, 0x05],
    ] as const;
    await connection.send(...script.map(([sequence, flags]) => data(sequence, String(sequence), { flags })));
    for (const text of ["10", "5", "6", "100", "101", "102", "103", "104"]) {
      expect((await receiveText(s2001)).text).toBe(text);
    }
  });

  test("W11, W12 a port of the map refuses, its neighbour does not; a map of another length changes nothing", async () => {
    const { connection, s2001, address } = await lane("smaller");
    await connection.send(mapFrame(99), frame({ flags: 1, payload: Buffer.alloc(100) }), data(2, "after the map"));
    await receiveText(s2001);
    expect(() => s2001.trySend("x", { to: `${address}:99` })).toThrow(
      expect.objectContaining({ code: "VERBENA_RDS_ENOBUFS" }),
    );
    expect(s2001.trySend("x", { to: `${address}:98` })).toBe(1);
  });

  test("W13 a ping is answered by an empty frame from port 0 with the next sequence", async () => {
    const { connection, answer } = await lane("smaller");
    await connection.send(frame({ sequence: 2, sport: 9, dport: 0 }));
    const pong = await connection.nextData();
    expect(pong).toMatchObject({ sourcePort: 0, destinationPort: 9, length: 0 });
    expect(pong.sequence).toBeGreaterThan(answer.sequence);
  });

  test("W23, W27 a frame of 2 MiB is delivered; of a partial one at the end nothing is", async () => {
    const { connection, s2001 } = await lane("smaller");
    await connection.send(data(2, Buffer.alloc(2 << 20, 1)));
    expect(await s2001.receive()).toMatchObject({ length: 2 << 20 });
    await connection.send(
      ...Array.from({ length: 100 }, (_, i) => data(3 + i, String(i))),
      data(103, "cut").subarray(0, 50),
    );
    connection.close();
    for (let i = 0; i < 100; i++) expect((await receiveText(s2001)).text).toBe(String(i));
    expect(s2001.tryReceive()).toBeUndefined();
  });

  test("W28, W29 a port over its limit is in the map, takes what comes all the same, and leaves the map below half", async () => {
    const { connection, s2002 } = await lane("smaller");
    s2002.receiveBufferSize = 4000;
    const to2002 = (sequence: number): Buffer => data(sequence, Buffer.alloc(1000), { dport: 2002 });
    const mapWhere = async (bit: number): Promise<void> => {
      for (;;) {
        const next = await connection.next();
        if (next.flags === 1 && (next.payload[250] ?? 0) === bit) return;
      }
    };
    await connection.send(...[2, 3, 4, 5, 6, 7].map(to2002));
    await mapWhere(0x04);
    await connection.send(...Array.from({ length: 10 }, (_, i) => to2002(8 + i)));
    for (let i = 0; i < 16; i++) expect(await s2002.receive()).toMatchObject({ length: 1000 });
    await mapWhere(0);
  });

  test("W31 a new generation of the peer begins its sequences again", async () => {
    const { connection, s2001 } = await lane("smaller");
    const generation = (sequence: number, number: number): Buffer =>
      frame({ sequence, sport: 1, extensions: `05000106000000${number.toString(16).padStart(2, "0")}` });
    await connection.send(
      generation(2, 1),
      data(500, "first life"),
      generation(501, 2),
      data(3, "second life", { flags: 4 }),
    );
    for (const text of ["first life", "second life"]) expect((await receiveText(s2001)).text).toBe(text);
  });
});

/** Requests recorded from librdmacm, sent to `verbena serve`: each gets the kind of answer that library was recorded to act on. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { decodePathRecord, Gid } from "@verbena/ib";
import { Cluster } from "./support/cluster.js";
import type { Served } from "./support/serve.js";

const TIMEOUT_MS = 60_000;
const VECTORS = join(__dirname, "../../ib/test/vectors/librdmacm");
/** A source that is on no endpoint must be told so before the application notices. */
const MAX_REFUSAL_MS = 50;

const recorded = (file: string): Buffer => Buffer.from(readFileSync(join(VECTORS, file), "utf8").trim(), "hex");

describe("requests of librdmacm", () => {
  let cluster: Cluster;
  let daemon: Served;
  let socket: Socket;

  beforeAll(async () => {
    cluster = await Cluster.start({ hosts: 8, addresses: ["H1 192.0.2.1/24", "H1 2001:db8::1/64"] });
    const hosts = cluster.writeHosts("hosts.data", { "192.0.2.10": "H5", "192.0.2.11": "H6", "2001:db8::10": "H7" });
    daemon = await cluster.serve("H1", ["--config", cluster.write("c.yaml", `files: { hosts: ${hosts} }\n`)]);
    // The library keeps one connection for the life of its process.
    socket = createConnection(daemon.socket);
    await once(socket, "connect");
  }, TIMEOUT_MS);
  afterAll(async () => {
    socket.destroy();
    await cluster[Symbol.asyncDispose]();
  }, TIMEOUT_MS);

  /** One request, one reply in one read, as the library does it. */
  async function ask(request: Buffer): Promise<Buffer> {
    socket.write(request);
    const [reply] = (await once(socket, "data")) as [Buffer];
    expect(reply.readUInt16LE(6)).toBe(reply.length);
    return reply;
  }

  it.each([
    ["ip4.req.hex", "H5", 160],
    ["ip4-src.req.hex", "H5", 88],
    ["ip4-numeric.req.hex", "H5", 160],
    ["ip4-noroute.req.hex", "H5", 160],
    ["ip6.req.hex", "H7", 160],
    ["ip4-and-path-hint.req.hex", "H5", 88],
    ["two-calls.req1.hex", "H5", 88],
    ["two-calls.req2.hex", "H6", 88],
  ])(
    "%s: the path to %s, in %i bytes",
    async (file, node, length) => {
      const reply = await ask(recorded(file));
      expect([reply.subarray(0, 3).toString("hex"), reply.length]).toEqual(["010100", length]);
      // GMP, primary, both directions: the only flags that the kernel takes.
      expect([reply.readUInt32LE(16), reply.readUInt16LE(20)]).toEqual([0x2b, 0x10]);
      const path = decodePathRecord(reply, 24);
      expect([Gid.format(path.dgid), path.dlid, path.slid, path.reversible]).toEqual([
        cluster.gid(node),
        cluster.lid(node),
        cluster.lid("H1"),
        true,
      ]);
      // The source that the daemon chose, if the request named none.
      if (length === 160)
        expect([reply.readUInt32LE(88), reply.readUInt16LE(92)]).toEqual([1, file === "ip6.req.hex" ? 3 : 2]);
    },
    TIMEOUT_MS,
  );

  it.each([
    ["af-ib.req.hex", "010103"],
    ["path-hint.req.hex", "010103"],
    ["no-dest.req.hex", "01810a"],
    ["header-only.req.hex", "01810a"],
  ])("%s, which this fabric cannot answer: %s and no more than a header", async (file, start) => {
    const reply = await ask(recorded(file));
    expect([reply.subarray(0, 3).toString("hex"), reply.length]).toEqual([start, 16]);
  });

  it("a source on no endpoint: status 7 within 50 ms", async () => {
    const request = recorded("ip4-src.req.hex");
    request.set([10, 0, 0, 1], 24);
    const times: number[] = [];
    for (let n = 0; n < 21; n += 1) {
      const start = performance.now();
      const reply = await ask(request);
      times.push(performance.now() - start);
      expect([reply.subarray(0, 3).toString("hex"), reply.length]).toEqual(["018107", 16]);
    }
    // The median: what else the machine does must not decide.
    expect(times.sort((a, b) => a - b)[10]).toBeLessThan(MAX_REFUSAL_MS);
  });
});

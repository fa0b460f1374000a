import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { take } from "../../test/support.js";
import { FabricAddressSource } from "./fabric-source.js";

const line = (event: string, address: string, gid = "fe80::2"): string =>
  `${JSON.stringify({ type: "address", event, device: "sim0", port: 1, gid, address, prefixLength: 24, pkey: "0xffff" })}\n`;
const SYNCED = '{"type":"synced"}\n';
const added = (address: string) => ({
  type: "added",
  address: { address, prefixLength: 24, gid: 0xfe80_0000_0000_0000_0000_0000_0000_0002n, pkey: 0xffff },
});

/** A fabric that hands each request to the test. */
class Fabric {
  readonly dir = mkdtempSync(join(tmpdir(), "verbena-fabric-"));
  readonly requests: string[] = [];
  readonly #sockets: Socket[] = [];
  readonly #server: Server;
  #waiting: ((socket: Socket) => void)[] = [];

  constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.push(socket);
      socket.setEncoding("utf8");
      socket.once("data", (text: string) => {
        this.requests.push(text);
        this.#waiting.shift()?.(socket);
      });
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(join(this.dir, "control.sock"), resolve));
  }

  /** The next connection that has asked. */
  asked(): Promise<Socket> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async end(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Runs delayed calls at once, and keeps the delays. */
function immediately() {
  const delays: number[] = [];
  const schedule = (ms: number, run: () => void): (() => void) => {
    delays.push(ms);
    const handle = setImmediate(run);
    return () => clearImmediate(handle);
  };
  return { delays, schedule };
}

let fabric: Fabric;
beforeEach(async () => {
  fabric = new Fabric();
  await fabric.listen();
});
afterEach(() => fabric.end());

test("asks for the node's addresses and follows them", async () => {
  const asked = fabric.asked();
  await using source = new FabricAddressSource({ dir: fabric.dir, nodes: ["H1"] });
  const events = source.events();
  const socket = await asked;
  expect(fabric.requests).toEqual(['{"op":"addresses","node":"H1","watch":true}\n']);
  // Lines may be cut and joined by the socket, and kinds of newer fabrics are passed over.
  socket.write(`${line("add", "10.0.0.1")}{"type":"news"}\n${SYNCED.slice(0, 4)}`);
  socket.write(SYNCED.slice(4) + line("del", "10.0.0.1") + line("renamed", "10.0.0.1") + line("add", "10.0.0.2"));
  expect(await take(events, 4)).toEqual([
    added("10.0.0.1"),
    { type: "synced" },
    { ...added("10.0.0.1"), type: "removed" },
    added("10.0.0.2"),
  ]);
});

test("several nodes are synced once all are", async () => {
  const both = [fabric.asked(), fabric.asked()];
  await using source = new FabricAddressSource({ dir: fabric.dir, nodes: ["H1", "H2"] });
  const events = source.events();
  const [first, second] = await Promise.all(both);
  first!.write(line("add", "10.0.0.1") + SYNCED);
  expect(await take(events, 1)).toEqual([added("10.0.0.1")]);
  second!.write(line("add", "10.0.0.2") + SYNCED);
  expect(await take(events, 2)).toEqual([added("10.0.0.2"), { type: "synced" }]);
});

test("a lost fabric is a reset, and the next connection lists again", async () => {
  const { delays, schedule } = immediately();
  const asked = fabric.asked();
  await using source = new FabricAddressSource({ dir: fabric.dir, nodes: ["H1"], schedule });
  const events = source.events();
  const first = await asked;
  first.write(line("add", "10.0.0.1") + SYNCED);
  await take(events, 2);
  const again = fabric.asked();
  first.destroy();
  expect(await take(events, 1)).toEqual([{ type: "reset" }]);
  (await again).write(line("add", "10.0.0.9") + SYNCED);
  expect(await take(events, 2)).toEqual([added("10.0.0.9"), { type: "synced" }]);
  expect(delays).toEqual([50]);
});

test("waits longer and longer for a fabric that is not there, then takes what it says", async () => {
  const elsewhere = new Fabric();
  const delays: number[] = [];
  const asked = elsewhere.asked();
  const source = new FabricAddressSource({
    dir: elsewhere.dir,
    nodes: ["H1"],
    schedule: (ms, run) => {
      delays.push(ms);
      if (delays.length === 8) void elsewhere.listen().then(run);
      else setImmediate(run);
      return () => undefined;
    },
  });
  const events = source.events();
  (await asked).write(SYNCED);
  expect(await take(events, 1)).toEqual([{ type: "synced" }]);
  expect(delays).toEqual([50, 100, 200, 400, 800, 1600, 2000, 2000]);
  await source.close();
  await elsewhere.end();
});

test.each([
  ["no JSON", "hello\n"],
  ["no object", "17\n"],
  ["an incomplete address", '{"type":"address","event":"add","gid":"nonsense"}\n'],
  ["an error of the fabric", '{"type":"error","message":"no node H9"}\n'],
])("%s ends the source with a coded error", async (_name, text) => {
  const asked = fabric.asked();
  await using source = new FabricAddressSource({ dir: fabric.dir, nodes: ["H1"] });
  const pending = source.events().next();
  (await asked).write(text);
  await expect(pending).rejects.toMatchObject({ code: "VERBENA_NATIVE_CONTROL" });
});

test("close ends the iterator, twice is once", async () => {
  const source = new FabricAddressSource({ dir: fabric.dir, nodes: ["H1"] });
  const pending = source.events().next();
  await source.close();
  await source.close();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(() => source.events()).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" }));
});

test("no node chosen: synced, and nothing else", async () => {
  await using source = new FabricAddressSource({ dir: fabric.dir, nodes: [] });
  expect(await take(source.events(), 1)).toEqual([{ type: "synced" }]);
});

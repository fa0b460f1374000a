import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningFabric, startFabricThread, twoLevel } from "@verbena/fabric-sim";
import { freePort, NodeProgram } from "../../test-support/node-program.js";

jest.setTimeout(120_000);

let dir: string;
let fabric: RunningFabric;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "verbena-transfer-"));
  fabric = await startFabricThread({ topology: twoLevel({ hosts: 2 }), dir: join(dir, "fabric") });
});
afterAll(async () => {
  await fabric.close();
  rmSync(dir, { recursive: true });
});

/** A program of this example on a node. */
const on = (node: string, ...words: readonly string[]) => new NodeProgram(fabric, node, join(__dirname, ".."), words);

/** A receiver that listens, with an empty folder of its own. */
class Receiver {
  private constructor(
    readonly end: NodeProgram,
    readonly port: string,
    readonly inbox: string,
  ) {}

  static async start(...options: readonly string[]): Promise<Receiver> {
    const inbox = mkdtempSync(join(dir, "inbox-"));
    const port = await freePort();
    const end = on("H1", "receive.js", inbox, "-p", port, ...options);
    await once(end.child.stdout!, "data");
    return new Receiver(end, port, inbox);
  }

  /** Sends it a file, by a program whose Node has `options`. */
  send(path: string, ...options: readonly string[]): NodeProgram {
    return on("H2", ...options, "send.js", path, "localhost", "-p", this.port);
  }
}

/** A file with `size` bytes that nobody foresees; files of one size have one name. */
function fileOf(size: number): string {
  const path = join(dir, `file-${String(size)}`);
  writeFileSync(path, randomBytes(size));
  return path;
}

const digest = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

describe("a file between two nodes", () => {
  test.each([
    ["of no bytes", 0, []],
    ["of one byte", 1, []],
    ["that fills its last slot", 4 * 4096, ["-n", "4", "-s", "4096"]],
    ["that goes round the ring many times, with a rest", 1_000_003, ["-n", "4", "-s", "4096"]],
    ["in pieces of 1000 bytes, which lie across pages", 200_001, ["-n", "7", "-s", "1000"]],
    ["with a GRH", 300_000, ["-g", "0"]],
    ["of 20 MB", 20_000_000, []],
  ])("%s arrives as it was", async (_name, size, options) => {
    const file = fileOf(size);
    const receiver = await Receiver.start(...options);
    const sent = await receiver.send(file).ended;
    expect(sent).toEqual([0, expect.stringMatching(new RegExp(`^${String(size)} bytes in [\\d.]+ seconds = `)), ""]);
    const name = `file-${String(size)}`;
    const path = join(receiver.inbox, name);
    const said = `waiting at port ${receiver.port}\n${path}: ${String(size)} bytes\n`;
    expect(await receiver.end.ended).toEqual([0, said, ""]);
    expect(readdirSync(receiver.inbox)).toEqual([name]);
    expect(digest(path)).toBe(digest(file));
  });
});

describe("what fails is told with a code, at both ends, and leaves no file", () => {
  test("a file that is there already stays as it is", async () => {
    const file = fileOf(10);
    const receiver = await Receiver.start();
    const path = join(receiver.inbox, "file-10");
    writeFileSync(path, "older");
    const text = `TRANSFER_FILE: ${path} is there already\n`;
    expect(await receiver.send(file).ended).toEqual([1, "", `TRANSFER_REFUSED: the receiver: ${text}`]);
    expect((await receiver.end.ended).slice(0, 3)).toEqual([1, expect.any(String), text]);
    expect(readFileSync(path, "utf8")).toBe("older");
  });

  test("a folder that is not there", async () => {
    const receiver = await Receiver.start();
    rmSync(receiver.inbox, { recursive: true });
    const [status, , err] = await receiver.send(fileOf(10)).ended;
    expect([status, err]).toEqual([1, expect.stringMatching(/^TRANSFER_REFUSED: the receiver: TRANSFER_FILE: ENOENT/)]);
    expect((await receiver.end.ended)[0]).toBe(1);
  });

  test("bytes that are not those that were sent", async () => {
    // The sender's own digest is made wrong: it has seen another file.
    const wrong = `import crypto from "node:crypto"; import { syncBuiltinESMExports } from "node:module";
      const right = crypto.createHash; crypto.createHash = (name) => right(name).update("!"); syncBuiltinESMExports();`;
    const receiver = await Receiver.start();
    const sender = receiver.send(fileOf(5000), "--import", `data:text/javascript,${encodeURIComponent(wrong)}`);
    const text = "TRANSFER_CHECKSUM: what came is not what was sent\n";
    expect(await sender.ended).toEqual([1, "", `TRANSFER_REFUSED: the receiver: ${text}`]);
    expect((await receiver.end.ended)[2]).toBe(text);
    expect(readdirSync(receiver.inbox)).toEqual([]);
  });

  test("a sender that goes away", async () => {
    const receiver = await Receiver.start("-n", "4", "-s", "512");
    const sender = receiver.send(fileOf(50_000_000));
    while (!existsSync(join(receiver.inbox, "file-50000000.part"))) await new Promise((done) => setImmediate(done));
    sender.child.kill("SIGKILL");
    const [status, , err] = await receiver.end.ended;
    expect([status, err]).toEqual([1, expect.stringMatching(/^TRANSFER_PEER: the (sender hung up|peer is gone)/)]);
    expect(readdirSync(receiver.inbox)).toEqual([]);
  });

  test("a receiver that goes away", async () => {
    const receiver = await Receiver.start("-n", "4", "-s", "512");
    const sender = receiver.send(fileOf(50_000_000));
    while (!existsSync(join(receiver.inbox, "file-50000000.part"))) await new Promise((done) => setImmediate(done));
    receiver.end.child.kill("SIGKILL");
    const [status, , err] = await sender.ended;
    expect([status, err]).toEqual([1, expect.stringMatching(/^(TRANSFER_PEER|VERBENA_NATIVE_COMPLETION): /)]);
  });

  test("nobody who receives, and no file to send", async () => {
    const port = await freePort();
    const [status, , err] = await on("H2", "send.js", fileOf(10), "localhost", "-p", port).ended;
    expect([status, err]).toEqual([1, expect.stringMatching(new RegExp(`^TRANSFER_PEER: localhost port ${port}: `))]);
    const receiver = await Receiver.start();
    const missing = await receiver.send(join(dir, "nowhere")).ended;
    expect(missing).toEqual([1, "", expect.stringMatching(/^TRANSFER_FILE: ENOENT: no such file/)]);
    expect((await receiver.end.ended)[2]).toBe("TRANSFER_PEER: the peer hung up\n");
  });
});

const ADDRESS = { lid: 1, qpn: 64, psn: 0, mtu: 4096, gid: "::" };
const offer = (changed: object): string => `${JSON.stringify({ name: "a", size: 1, address: ADDRESS, ...changed })}\n`;

/** What a sender tells first; and what is wrong with it. */
const NONSENSE: readonly (readonly [reason: string, told: string])[] = [
  ['no JSON: "hello"', "hello\n"],
  ["3 is no object", "3\n"],
  ["a line is too long", "x".repeat(5000)],
  ['"../../etc/passwd" is no name of a file', offer({ name: "../../etc/passwd" })],
  ['".." is no name of a file', offer({ name: ".." })],
  ["size is -1", offer({ size: -1 })],
  ["size is 1.5", offer({ size: 1.5 })],
  ["undefined is no object", offer({ address: undefined })],
  ["lid is 65536", offer({ address: { ...ADDRESS, lid: 65_536 } })],
  ["gid is here", offer({ address: { ...ADDRESS, gid: "here" } })],
];

test.each(NONSENSE)("a receiver that is told nonsense says what: %s", async (reason, told) => {
  const receiver = await Receiver.start();
  const socket = connect(Number(receiver.port), "localhost");
  socket.write(told);
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  const message = `the peer's introduction: ${reason}`;
  expect(JSON.parse(answer)).toEqual({ error: { code: "TRANSFER_PEER", message } });
  expect((await receiver.end.ended)[2]).toBe(`TRANSFER_PEER: ${message}\n`);
  expect(readdirSync(receiver.inbox)).toEqual([]);
});

test.each([
  ["send.js a", "2 words are wanted besides the options"],
  ["send.js a b c", "2 words are wanted besides the options"],
  ["receive.js", "1 words are wanted besides the options"],
  ["receive.js a -n 3", "--slots is a whole number, 4 to 64"],
  ["receive.js a -n 65", "--slots is a whole number, 4 to 64"],
  ["receive.js a -s 0", "--slot-size is a whole number, 1 to 16777216"],
  ["send.js a b -p many", "--port is a whole number, 1 to 65535"],
  ["send.js a b -s 1", "Unknown option '-s'"],
])("node %s: refused with how to call it, and exit status 2", async (line, reason) => {
  const [status, out, err] = await on("H1", ...line.split(" ")).ended;
  expect([status, out]).toEqual([2, ""]);
  expect(err).toContain(`TRANSFER_USAGE: ${reason}`);
  expect(err).toContain(`Usage: node ${line.split(" ")[0] ?? ""} `);
});

/**
 * `verbena acme` beside Debian's `ib_acme`: the same command line against the same scripted service must give the same requests,
 * the same output and the same exit status. Covers what the recordings do not: option syntax, lists, formats, mixtures.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScriptedAcmService } from "@verbena/core/testing";
import { runAcme } from "verbena";

const REAL = "/usr/bin/ib_acme";
const VECTORS = join(__dirname, "../../packages/ib/test/vectors");
const hex = (file: string): Buffer => Buffer.from(readFileSync(join(VECTORS, file), "utf8").trim(), "hex");

const PATH_AND_SOURCE = hex("requests/resolve-ip4.rep.hex");
const COUNTERS = hex("replies/perf-row.rep.hex");
const ENDPOINT = hex("replies/ep-two-ports.rep1.hex");
const [RESOLVE, PERF] = [1, 2];

/** A header-only reply to `request`. */
function refusal(request: Buffer, status: number): Buffer {
  const reply = Buffer.from(request.subarray(0, 16));
  reply[1] = (reply[1] ?? 0) | 0x80;
  reply[2] = status;
  if ((reply[1] & 0x0f) === RESOLVE) reply.set(new Uint8Array(Uint16Array.of(16).buffer), 6);
  else reply.writeUInt16BE(16, 6);
  return reply;
}

const isQuerySa = (request: Buffer): boolean => request.length === 88 && (request.readUInt32LE(16) & 0x8000_0000) !== 0;

/** Two endpoints on two ports each; counters of the first three; every path is found and confirmed. */
function willing(request: Buffer): Buffer {
  if (request[1] === RESOLVE) {
    if (!isQuerySa(request)) return PATH_AND_SOURCE;
    const reply = Buffer.from(request);
    reply[1] = 0x81;
    return reply;
  }
  if (request[1] === PERF) return (request[4] ?? 0) < 4 ? COUNTERS : refusal(request, 7);
  const [index = 0, port = 0] = request.subarray(3, 5);
  if (index > 2 || port > 2) return refusal(request, 2);
  const reply = Buffer.from(ENDPOINT);
  reply[3] = index;
  reply[24] = port;
  return reply;
}

const services = {
  willing,
  unwilling: (request: Buffer) => refusal(request, request[1] === RESOLVE ? 3 : request[1] === PERF ? 7 : 2),
  fickle: (request: Buffer, n: number) => (n % 2 === 0 ? refusal(request, 6) : willing(request)),
  doubting: (request: Buffer) => {
    const reply = willing(request);
    if (isQuerySa(request)) reply[2] = 3;
    return reply;
  },
} as const;

type ServiceName = keyof typeof services;

/** Command lines; `@` stands for the service's socket. */
const LINES: readonly (readonly [ServiceName, string])[] = [
  ...[
    "-d localhost",
    "-d 7",
    "-d 1.2.3",
    "-d 0x10",
    "-d fe80::1",
    "-d ::ffff:1.2.3.4",
    "-d 2001:DB8:0:0::1",
    "-d nosuchhost.invalid",
    "-f ip -d 1.2.3.4",
    "-fi -d1.2.3.4 -s1.2.3.5",
    "-f i -d zz",
    "-f i -d 127.1",
    "-f i -d 01.2.3.4",
    "-f i -d 1.2.3.4 -s zz",
    "-f i -d 1.2.3.4 -s fe80::1",
    "-d fe80::1 -s 1.2.3.4",
    "-d 1.2.3.4 -s localhost",
    "-f g -d zz",
    "-f g -d fe80::1 -s zz",
    "-f g -d fe80::1 -s fe80::2 -c",
    "-f l -d 5 -s 3 -v",
    "-f l -d 70000",
    "-f l -d 0x5",
    "-f l -d 99999999999999999999",
    "-f n -d a -s b[1-2] -v",
    "-f n -d a[1-2] -s b[1-2]",
    "-f n -d a -C 3",
    "-f n -d a -C 0",
    "-f n -d a -C 2x",
    "-f n -d a -C -2",
    "-f n -d a,b",
    "-f n -vcd a",
    "-e",
    "-e 2",
    "-e2",
    "-e 0",
    "-e x",
    "-e 258",
    "-e 300",
    "-e -V",
    "-P",
    "-Pcol",
    "-P COLUMN",
    "-P co",
    "-P ALLx",
    "-P x",
    "-P 2x",
    "-P 258",
    "-P sx",
    "-P s -s 1.2.3.4",
    "-P s -s localhost",
    "-P s -f n -s node1",
    "-P s -f n -s n[1-2]",
    "-P s -e 2 -s 1.2.3.4",
    "-P s -f n -s a -d b",
    "-P -e",
    "-e2 -P",
    "-e -P 2",
    "-P 2 -e",
    "-P all -e 2",
    "-P col -e 2",
    "-P 3 -e",
    "-P -f n -d foo -e 1",
    "word -P word2 -e 2 word3",
    "-P -- 2",
    "-P - 2",
    "-e -- -P",
  ].map((line) => ["willing", `-S @ ${line}`] as const),
  ...[
    "-d 1.2.3.4 -v",
    "-f n -d x -C 3",
    "-f n -d x -P",
    "-f n -d x -P -e 3",
    "-e",
    "-e 5",
    "-P",
    "-P all",
    "-P 3",
    "-P col",
  ].map((line) => ["unwilling", `-S @ ${line}`] as const),
  ...[
    "-f n -d a -C 3",
    "-f n -d a -C 4",
    "-f n -d a[1-4]",
    "-f n -d a[1-3] -s b[1-2] -v",
    "-P all",
    "-f n -d a -C 4 -v",
  ].map((line) => ["fickle", `-S @ ${line}`] as const),
  ...["-d 1.2.3.4 -v", "-f n -d a[1-2] -v", "-f n -d a -v -P"].map((line) => ["doubting", `-S @ ${line}`] as const),
  ...[
    "n[1-10]",
    "n[001]",
    "n[00-2]",
    "n[-05]",
    "n[3-1,5]",
    "n[3-1]",
    "n[,1]",
    "n[1,,2,]",
    "n[1-]",
    "n[-]",
    "n[1.5]",
    "n[01,2,003]",
    "n[1-2",
    "n]1[",
    "n[",
    "n[]",
    "n[a1-a3]",
    "n[5x]",
    "n[08-010]",
    "n[-2--1]",
    "[1-2]",
    "n[[1-2]]",
    "n[1]b[2]",
    "n[+1-3]",
    "n[0x1]",
    "n[1-2-3]",
    "n[098-101]",
  ].map((list) => ["willing", `-S @ -f n -d ${list}`] as const),
  ...[
    "-S /nowhere -d 1",
    "-S /nowhere[1-2],x -P -e",
    "-S /nowhere -C abc -d x[1-",
    "-S [] -P",
    "-S relative -P",
    "-S nosuchhost.invalid -e",
    "-S 127.61.25.9 -P",
    "-S 127.61.25.[9-10] -P",
    "-S ::1 -P",
    "-S @[1-1] -P",
  ].map((line) => ["willing", line] as const),
];

/** Asks for nothing that can be done: usage and exit status 1. Our usage is in our own words. */
const USAGE = [
  "",
  "-f",
  "-f u -d x",
  "-f I -d x",
  "-s x",
  "-P s",
  "-P S -s x",
  "-x",
  "-e -1",
  "-S",
  "--help",
  "-A -s x",
  "-Ve:",
  "-",
];

interface Outcome {
  readonly out: string;
  readonly err: string;
  readonly status: number | null;
}

function spawned(args: readonly string[]): Promise<Outcome> {
  const child = spawn(REAL, args, { argv0: "ib_acme" });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("latin1").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("latin1").on("data", (text: string) => {
    err += text;
  });
  return new Promise((resolve) => {
    child.on("close", (status) => {
      resolve({ out, err, status });
    });
  });
}

async function ours(args: readonly string[]): Promise<Outcome> {
  let [out, err] = ["", ""];
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
  };
  const status = await runAcme(args, io);
  return { out, err, status };
}

const suite = existsSync(REAL) ? describe : describe.skip;
suite(existsSync(REAL) ? "verbena acme beside ib_acme" : `verbena acme beside ib_acme (no ${REAL})`, () => {
  const dir = mkdtempSync(join(tmpdir(), "acme-peer-"));
  const path = join(dir, "s");
  let stub: ScriptedAcmService;

  beforeAll(async () => {
    stub = await ScriptedAcmService.start({ path });
  });
  afterAll(() => {
    stub.close();
    rmSync(dir, { recursive: true });
  });

  it.each(LINES)("%s service: %s", async (service, line) => {
    const args = line.split(" ").map((word) => word.replace("@", path));
    const answer = (request: Buffer, n: number, socket: Socket): void => {
      socket.write(services[service](request, n));
    };
    stub.script(answer);
    const theirs = await spawned(args);
    const theirRequests = stub.requests.map((request) => request.toString("hex"));
    stub.script(answer);
    expect(await ours(args)).toEqual(theirs);
    expect(stub.requests.map((request) => request.toString("hex"))).toEqual(theirRequests);
  });

  it.each(USAGE)("usage: %s", async (line) => {
    const args = line.split(" ").filter((word) => word !== "");
    const [theirs, mine] = [await spawned(args), await ours(args)];
    expect([mine.status, mine.err]).toEqual([theirs.status, theirs.err]);
    expect(mine.out.split("\n")[0]).toBe(theirs.out.split("\n")[0]);
    const flags = (text: string): readonly string[] => text.match(/^ {3}\[?-\w/gm) ?? [];
    expect(flags(mine.out)).toEqual(flags(theirs.out));
  });
});

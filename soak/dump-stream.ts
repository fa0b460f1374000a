// pnpm soak dump-stream [--steps N] [--seed N]
//
// OpenSM's full path dump of N megabytes (default 10,000), which is in no file but made while it is read: 40,000 ports, each with paths to all.
// Goes through it as the daemon goes through a file, then reads the block of a port near the end. Nothing may be missing or wrong, a header that is
// none is named by its line, and the peak of resident memory stays below 200 MB.
import { Readable } from "node:stream";
import { Guid, Lid } from "@verbena/ib";
import { type ByteSource, type DumpRoute, OpensmDump } from "../packages/core/test/support/opensm-dump.js";
import { machineMs } from "./lib/machine-clock.js";
import { soakSettings } from "./lib/settings.js";

const MEGABYTES = 10_000;
const PEAK_LIMIT_MB = 200;
const MOST_PORTS = 40_000;
const FIRST_GUID = 0x2_c903_0000_0000n;
const COLUMNS = "# LID  : SL : MTU : RATE\n";
/** Bytes handed over at once: no divisor of anything, so that lines are cut everywhere. */
const PIECE = 300_007;

const { steps, random, replay } = soakSettings(MEGABYTES);
const hex = (value: number | bigint, digits: number): string => `0x${value.toString(16).padStart(digits, "0")}`;
const guid = (lid: number): Guid => Guid.from(FIRST_GUID + BigInt(lid));
const slOf = (dlid: number): number => dlid % 16;

/** All blocks have equally many bytes, so that any place of the stream can be gone to. */
class Dump {
  readonly ports: number;
  readonly reach: number;
  readonly #lines: Buffer;
  readonly #headerSize: number;

  constructor(bytes: number) {
    this.ports = Math.min(MOST_PORTS, Math.max(2, Math.floor(Math.sqrt(bytes / 26))));
    this.reach = Math.max(1, Math.min(this.ports, Math.floor(bytes / this.ports / 26)));
    const line = (dlid: number): string => `${hex(dlid, 4)} : ${String(slOf(dlid)).padEnd(2)} : 4   : 3   \n`;
    this.#lines = Buffer.from(`${COLUMNS}${Array.from({ length: this.reach }, (_, n) => line(n + 1)).join("")}\n`);
    this.#headerSize = this.#header(1).length;
  }

  get size(): number {
    return this.ports * this.#blockSize + BAD_HEADER.length;
  }

  get lineCount(): number {
    return this.ports * (this.reach + 3) + 1;
  }

  readonly from: ByteSource = (from) => Readable.from(this.#pieces(from), { objectMode: true, highWaterMark: 1 });

  get #blockSize(): number {
    return this.#headerSize + this.#lines.length;
  }

  #header(lid: number): Buffer {
    return Buffer.from(`Channel Adapter ${hex(guid(lid), 16)}, base LID ${hex(lid, 4)}, "host HCA-1", port 1\n`);
  }

  *#pieces(from: number): IterableIterator<Buffer> {
    let lid = Math.floor(from / this.#blockSize) + 1;
    let skip = from % this.#blockSize;
    for (; lid <= this.ports; lid += 1) {
      const block = [this.#header(lid), this.#lines];
      for (const part of block) {
        const start = Math.min(skip, part.length);
        skip -= start;
        for (let at = start; at < part.length; at += PIECE) yield part.subarray(at, at + PIECE);
      }
    }
    yield BAD_HEADER;
  }
}

const BAD_HEADER = Buffer.from("Channel Adapter without a port\n");

async function main(): Promise<void> {
  const stream = new Dump(steps * 1e6);
  const problems: string[] = [];
  const reports: string[] = [];
  const started = machineMs();
  const dump = await OpensmDump.read(stream.from, "dump", (file, line, message) => {
    reports.push(`${file}:${String(line)}: ${message}`);
  });
  const readMs = machineMs() - started;
  if (dump.portCount !== stream.ports) problems.push(`${dump.portCount} ports instead of ${stream.ports}`);
  if (reports.length !== 1 || reports[0]?.startsWith(`dump:${stream.lineCount}: `) !== true)
    problems.push(`reported: ${reports.slice(0, 3).join("; ")}; expected line ${stream.lineCount} alone`);
  const lid = Math.max(1, stream.ports - Math.floor(random() * 10));
  let expected = 1;
  const check = (route: DumpRoute): void => {
    const isRight = route.dlid === expected && route.guid === guid(expected) && route.sl === slOf(expected);
    if (!isRight || route.mtu !== 4 || route.rate !== 3) problems.push(`LID ${route.dlid} where ${expected} should be`);
    expected += 1;
  };
  for await (const routes of dump.routes({ guid: guid(lid), lid: Lid.from(lid) })) routes.forEach(check);
  if (expected !== stream.reach + 1) problems.push(`${expected - 1} paths from LID ${lid} instead of ${stream.reach}`);
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  if (peak >= PEAK_LIMIT_MB) problems.push(`${peak} MB at the peak, the limit is ${PEAK_LIMIT_MB}`);
  const rate = Math.round(stream.lineCount / readMs / 1000);
  console.log(
    `${stream.lineCount} lines, ${Math.round(stream.size / 1e6)} MB, from ${stream.ports} ports in ${Math.round(readMs / 1000)} s (${rate} million lines/s), ${expected - 1} paths, peak ${peak} MB`,
  );
  for (const problem of problems.slice(0, 30)) console.error(`soak dump-stream: ${problem}`);
  if (problems.length === 0) return;
  console.error(`soak dump-stream: ${problems.length} problems; again with: ${replay}`);
  process.exitCode = 1;
}

void main();

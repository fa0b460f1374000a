import { Guid, type Lid } from "@verbena/ib";
import { openRegular } from "../files/open-regular.js";
import { DumpLineReader, type DumpPath, HeaderFinder } from "./dump-line.js";
import { type ByteSource, countLines, fileChunks, type LineArea, lineAreas } from "./line-areas.js";
import { BlockList, PortGuids } from "./port-table.js";
import type { PreloadReport } from "./types.js";

const NEWLINE = 0x0a;
/** Bytes read at once. */
const WHOLE_FILE_CHUNK = 256 * 1024;
const BLOCK_CHUNK = 64 * 1024;
/** Lines of one reading that are reported at most. */
const MAX_PROBLEMS = 1_000;

const BAD_HEADER = "header without port GUID or unicast base LID; its block is skipped";
const BAD_LINE = "not a line of LID, SL, MTU and rate; it is skipped";

/** One destination of a source port, with the port GUID behind its LID. */
export interface DumpRoute extends DumpPath {
  readonly guid: Guid;
}

/** A line that cannot be read: where it begins, or the how manieth it is behind a header. */
interface Problem {
  readonly at: number;
  readonly message: string;
}

/**
 * OpenSM's full path dump (`opensm_full_v1`), read in place. Opening goes through the file once and keeps, per source port, its GUID, LID
 * and where its block begins: some 100 bytes a port, whatever the number of lines. Reading a port goes straight to its block. Lines are
 * counted only when one has to be named.
 */
export class OpensmDump {
  readonly #source: ByteSource;
  readonly #name: string;
  readonly #report: PreloadReport;
  readonly #blocks = new BlockList();
  readonly #guids = new PortGuids();
  #version = "";

  private constructor(source: ByteSource, name: string, report: PreloadReport) {
    this.#source = source;
    this.#name = name;
    this.#report = report;
  }

  /** Rejects with VERBENA_FILE_KIND, the system's error when the file cannot be read, or the signal's reason. */
  static async open(file: string, report: PreloadReport, signal?: AbortSignal): Promise<OpensmDump> {
    const version = await versionOf(file, signal);
    const dump = await OpensmDump.read(sourceOf(file), file, report, signal);
    dump.#version = version;
    return dump;
  }

  /** A dump that is not in a file, under a name for reports. */
  static async read(
    source: ByteSource,
    name: string,
    report: PreloadReport,
    signal?: AbortSignal,
  ): Promise<OpensmDump> {
    const dump = new OpensmDump(source, name, report);
    await dump.#index(signal);
    return dump;
  }

  /** Source ports of the file. */
  get portCount(): number {
    return this.#blocks.length;
  }

  /** False once the file has been written or replaced: what was found where is then no longer true. */
  async isCurrent(): Promise<boolean> {
    return (await versionOf(this.#name)) === this.#version;
  }

  /**
   * Paths from the port with this GUID and base LID, some at a time; nothing if the file has no such block. A LID that no header names has no
   * GUID: nobody could tell which port it is, so it is left out.
   */
  async *routes(
    port: { readonly guid: Guid; readonly lid: Lid },
    signal?: AbortSignal,
  ): AsyncGenerator<readonly DumpRoute[]> {
    const offset = this.#blocks.find(port.guid, port.lid);
    if (offset === undefined) return;
    const problems: Problem[] = [];
    const reading = new BlockReading(this.#guids, problems);
    for await (const area of lineAreas(this.#source, offset, signal)) {
      yield reading.routes(area);
      if (reading.isDone) break;
    }
    if (problems.length === 0) return;
    const [header = 0] = await countLines(this.#source, [offset], signal);
    for (const { at, message } of problems) this.#report(this.#name, header + at, message);
  }

  async #index(signal: AbortSignal | undefined): Promise<void> {
    const problems: Problem[] = [];
    const reader = new DumpLineReader();
    for await (const { buffer, start, end, offset } of lineAreas(this.#source, 0, signal)) {
      const finder = new HeaderFinder(buffer, start, end);
      while (finder.next()) {
        const message = reader.readHeader(buffer, finder.start, finder.stop)
          ? this.#enter(reader, offset + (finder.stop - start) + 1)
          : BAD_HEADER;
        if (message !== undefined && problems.length < MAX_PROBLEMS)
          problems.push({ at: offset + (finder.start - start), message });
      }
    }
    if (problems.length === 0) return;
    const lines = await countLines(
      this.#source,
      problems.map(({ at }) => at),
      signal,
    );
    for (const [n, { message }] of problems.entries()) this.#report(this.#name, (lines[n] ?? 0) + 1, message);
  }

  /** Takes a header in; gives what is wrong with it. */
  #enter({ lid, guidHigh, guidLow }: DumpLineReader, offset: number): string | undefined {
    this.#blocks.add(guidHigh, guidLow, lid, offset);
    const isTaken = this.#guids.has(lid);
    if (!isTaken) this.#guids.set(lid, guidHigh, guidLow);
    return isTaken ? `LID ${String(lid)} occurs twice; the first one counts` : undefined;
  }
}

/** One way through a block, area by area. */
class BlockReading {
  readonly #reader = new DumpLineReader();
  #line = 0;
  /** The block has ended. */
  isDone = false;

  constructor(
    private readonly guids: PortGuids,
    private readonly problems: Problem[],
  ) {}

  routes({ buffer, start, end }: LineArea): readonly DumpRoute[] {
    const routes: DumpRoute[] = [];
    const reader = this.#reader;
    let at = start;
    while (at < end && !this.isDone) {
      const found = buffer.indexOf(NEWLINE, at);
      const stop = found < 0 ? end : Math.min(found, end);
      this.#line += 1;
      const what = reader.read(buffer, at, stop);
      at = stop + 1;
      if (what === "path") {
        const { lid, sl, mtu, rate } = reader;
        const guid = this.guids.get(lid);
        if (guid !== Guid.zero) routes.push({ dlid: lid as Lid, sl, mtu, rate, guid });
      } else if (what === "header") this.isDone = true;
      else if (what === "unreadable" && this.problems.length < MAX_PROBLEMS)
        this.problems.push({ at: this.#line, message: BAD_LINE });
    }
    return routes;
  }
}

function sourceOf(file: string): ByteSource {
  return async function* (from, signal) {
    await using handle = await openRegular(file, signal);
    yield* fileChunks(handle, from, from === 0 ? WHOLE_FILE_CHUNK : BLOCK_CHUNK, signal);
  };
}

async function versionOf(file: string, signal?: AbortSignal): Promise<string> {
  await using handle = await openRegular(file, signal);
  const { ino, size, mtimeMs } = await handle.stat();
  return [ino, size, mtimeMs].join(" ");
}

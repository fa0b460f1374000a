import type { FileHandle } from "node:fs/promises";
import type { Guid, Lid } from "@verbena/ib";
import { openRegular } from "../files/open-regular.js";
import { type DumpPath, looksLikeHeader, parseHeader, parsePath } from "./dump-line.js";
import { walkLines } from "./line-stream.js";
import type { PreloadReport } from "./types.js";

/** Unicast LIDs end below this. */
const LID_LIMIT = 0xc000;
const HASH = 0x23;
const BLANK = new Set([0x20, 0x09, 0x0d]);

/** One destination of a source port, with the port GUID behind its LID. */
export interface DumpRoute extends DumpPath {
  readonly guid: Guid;
}

interface Block {
  readonly lid: Lid;
  /** Where the first line behind the header begins. */
  readonly offset: number;
  /** Number of the header line. */
  readonly line: number;
}

/**
 * OpenSM's full path dump (`opensm_full_v1`), read in place. Opening walks the file once and keeps, per source port, its GUID, LID
 * and where its block begins: some 100 bytes a port, whatever the number of lines. Reading a port goes straight to its block.
 */
export class OpensmDump {
  readonly #file: string;
  readonly #blocks = new Map<Guid, Block[]>();
  readonly #guids = new BigUint64Array(LID_LIMIT);
  readonly #report: PreloadReport;
  #lines = 0;
  #version = "";

  private constructor(file: string, report: PreloadReport) {
    this.#file = file;
    this.#report = report;
  }

  /** Rejects with VERBENA_FILE_KIND, the system's error when the file cannot be read, or the signal's reason. */
  static async open(file: string, report: PreloadReport, signal?: AbortSignal): Promise<OpensmDump> {
    const dump = new OpensmDump(file, report);
    await using handle = await openRegular(file, signal);
    dump.#version = await versionOf(handle);
    await dump.#index(handle, signal);
    return dump;
  }

  /** Lines of the file when it was opened. */
  get lineCount(): number {
    return this.#lines;
  }

  /** Source ports of the file. */
  get portCount(): number {
    return this.#blocks.size;
  }

  /** False once the file has been written or replaced: what was found where is then no longer true. */
  async isCurrent(): Promise<boolean> {
    await using handle = await openRegular(this.#file);
    return (await versionOf(handle)) === this.#version;
  }

  /** Paths from the port with this GUID and base LID; nothing if the file has no such block. */
  async *routes(port: { readonly guid: Guid; readonly lid: Lid }, signal?: AbortSignal): AsyncGenerator<DumpRoute> {
    const block = this.#blocks.get(port.guid)?.find(({ lid }) => lid === port.lid);
    if (block === undefined) return;
    await using handle = await openRegular(this.#file, signal);
    yield* await this.#readBlock(handle, block, signal);
  }

  async #index(handle: FileHandle, signal: AbortSignal | undefined): Promise<void> {
    await walkLines(
      handle,
      0,
      ({ buffer, start, end, offset, number }) => {
        this.#lines = number;
        if (looksLikeHeader(firstByte(buffer, start, end))) {
          this.#enter(buffer.toString("latin1", start, end), offset + (end - start) + 1, number);
        }
        return false;
      },
      signal,
    );
  }

  #enter(text: string, offset: number, line: number): void {
    const header = parseHeader(text);
    if (header === undefined) {
      this.#report(this.#file, line, "header without port GUID or unicast base LID; its block is skipped");
      return;
    }
    const { guid, lid } = header;
    if (this.#guids[lid] !== 0n)
      this.#report(this.#file, line, `LID ${String(lid)} occurs twice; the first one counts`);
    else this.#guids[lid] = guid;
    const blocks = this.#blocks.get(guid);
    if (blocks === undefined) this.#blocks.set(guid, [{ lid, offset, line }]);
    else blocks.push({ lid, offset, line });
  }

  async #readBlock(handle: FileHandle, block: Block, signal: AbortSignal | undefined): Promise<readonly DumpRoute[]> {
    const routes: DumpRoute[] = [];
    await walkLines(
      handle,
      block.offset,
      ({ buffer, start, end, number }) => {
        const first = firstByte(buffer, start, end);
        if (first === undefined || first === HASH) return false;
        if (looksLikeHeader(first)) return true;
        const path = parsePath(buffer.toString("latin1", start, end));
        if (path === undefined)
          this.#report(this.#file, block.line + number, "not a line of LID, SL, MTU and rate; it is skipped");
        if (path === undefined || path === "unreachable") return false;
        const guid = this.#guids[path.dlid] ?? 0n;
        // A LID no header names has no GUID: nobody could tell which port it is.
        if (guid !== 0n) routes.push({ ...path, guid: guid as Guid });
        return false;
      },
      signal,
    );
    return routes;
  }
}

async function versionOf(handle: FileHandle): Promise<string> {
  const { ino, size, mtimeMs } = await handle.stat();
  return [ino, size, mtimeMs].join(" ");
}

function firstByte(buffer: Buffer, start: number, end: number): number | undefined {
  for (let at = start; at < end; at += 1) {
    const byte = buffer[at];
    if (byte !== undefined && !BLANK.has(byte)) return byte;
  }
  return undefined;
}

import type { Destination } from "../sdk/destination.js";
import type { CacheOrigin, CacheScope, PositiveEntry } from "./cache-entry.js";
import { PackedTable, ROW_BYTES, ROW_START } from "./packed-table.js";
import { UseCounts } from "./use-counts.js";

/** What an entry says, apart from its life. */
export interface EntryContent<V> {
  readonly subject: Destination;
  readonly value: V;
}

/** Bytes of a row that a codec has for itself. */
export const CODEC_BYTES = 20;

/** How values of one kind are kept as bytes. */
export interface ValueCodec<V> {
  /** Writes {@link CODEC_BYTES} at `at`. False: this value is none of those that can be given back exactly; it is kept as an object. */
  write(key: string, content: EntryContent<V>, bytes: Buffer, at: number): boolean;
  read(key: string, bytes: Buffer, at: number): EntryContent<V>;
  /** What was written there is not needed any more. */
  release?(bytes: Buffer, at: number): void;
  /** For {@link EntryRows.leadsTo}. */
  leadsTo(bytes: Buffer, at: number, ends: EndMarks): boolean;
}

/** GIDs by their low 32 bits, and LIDs: what an entry that leads to one of them has in its bytes. */
export interface EndMarks {
  readonly words: ReadonlySet<number>;
  readonly lids: ReadonlySet<number>;
}

/** An entry that goes into the rows. */
export type NewEntry<V> = Omit<PositiveEntry<V>, "ground">;

const ORIGINS: readonly CacheOrigin[] = ["provider", "file", "learned", "local"];
/** Places of the times and the number of an entry, in doubles; then its two words. */
const CREATED = ROW_START / 8;
const [EXPIRES, REFRESH, KEPT, NUMBER] = [CREATED + 1, CREATED + 2, CREATED + 3, CREATED + 4];
const SCOPE_AT = ROW_START + 40;
const PROVIDER_AT = SCOPE_AT + 4;
const ORIGIN_AT = PROVIDER_AT + 2;
/** Length of the key; 255: the entry's content is kept as an object. */
const LENGTH_AT = ORIGIN_AT + 1;
const AS_OBJECT = 255;
const CODEC_AT = LENGTH_AT + 1;
const KEY_AT = CODEC_AT + CODEC_BYTES;
const KEY_ROOM = ROW_BYTES - KEY_AT;

/** Numbers entries of all caches of the process, so that none is taken for another that is as old. */
let nextNumber = 1;

/** Positive entries as rows of a table: objects are made when one is looked at. */
export class EntryRows<V extends object> {
  readonly #table: PackedTable;
  readonly #codec: ValueCodec<V> | undefined;
  readonly #objects = new Map<number, EntryContent<V> & { readonly key: string }>();
  readonly #scopes = new UseCounts<CacheScope>();
  readonly #providers = new UseCounts<string>();

  constructor(codec?: ValueCodec<V>) {
    this.#codec = codec;
    this.#table = new PackedTable((row, key) => this.#isKey(row, key));
  }

  get size(): number {
    return this.#table.size;
  }
  get oldest(): number {
    return this.#table.oldest;
  }
  get newest(): number {
    return this.#table.newest;
  }
  newerThan(row: number): number {
    return this.#table.newerThan(row);
  }
  olderThan(row: number): number {
    return this.#table.olderThan(row);
  }

  find(key: string): number {
    return this.#table.find(key);
  }

  touch(row: number): void {
    this.#table.touch(row);
  }

  /** For a key that has no row. Gives the row. */
  add(entry: NewEntry<V>): number {
    const row = this.#table.add(entry.key);
    const { bytes, doubles } = this.#table.block(row);
    const offset = PackedTable.offset(row);
    const double = offset / 8;
    doubles[double + CREATED] = entry.createdAt;
    doubles[double + EXPIRES] = entry.expiresAt;
    doubles[double + REFRESH] = entry.refreshAt;
    doubles[double + KEPT] = entry.keptAt ?? Number.NaN;
    doubles[double + NUMBER] = nextNumber++;
    bytes.writeUInt32LE(this.#scopes.take(entry.scope), offset + SCOPE_AT);
    bytes.writeUInt16LE(this.#providers.take(entry.provider), offset + PROVIDER_AT);
    bytes[offset + ORIGIN_AT] = ORIGINS.indexOf(entry.origin);
    const { key } = entry;
    const isShort = key.length <= KEY_ROOM && isLatin1(key);
    if (isShort) bytes.write(key, offset + KEY_AT, "latin1");
    const isPacked = isShort && this.#codec?.write(key, entry, bytes, offset + CODEC_AT) === true;
    bytes[offset + LENGTH_AT] = isPacked ? key.length : AS_OBJECT;
    if (!isPacked) this.#objects.set(row, { key, subject: entry.subject, value: entry.value });
    return row;
  }

  /** Gives the entry's number. */
  remove(row: number): number {
    const { bytes } = this.#table.block(row);
    const offset = PackedTable.offset(row);
    const number = this.numberOf(row);
    this.#scopes.release(bytes.readUInt32LE(offset + SCOPE_AT));
    this.#providers.release(bytes.readUInt16LE(offset + PROVIDER_AT));
    if (!this.#objects.delete(row)) this.#codec?.release?.(bytes, offset + CODEC_AT);
    this.#table.remove(row);
    return number;
  }

  scopeOf(row: number): CacheScope {
    return this.#scopes.value(this.#table.block(row).bytes.readUInt32LE(PackedTable.offset(row) + SCOPE_AT));
  }
  expiresAt(row: number): number {
    return this.#double(row, EXPIRES);
  }
  numberOf(row: number): number {
    return this.#double(row, NUMBER);
  }

  setRefreshAt(row: number, refreshAt: number): void {
    this.#table.block(row).doubles[PackedTable.offset(row) / 8 + REFRESH] = refreshAt;
  }

  /** False: the entry leads to none of these for certain. */
  leadsTo(row: number, ends: EndMarks): boolean {
    if (this.#codec === undefined || this.#objects.has(row)) return true;
    return this.#codec.leadsTo(this.#table.block(row).bytes, PackedTable.offset(row) + CODEC_AT, ends);
  }

  read(row: number): PositiveEntry<V> {
    const { bytes } = this.#table.block(row);
    const offset = PackedTable.offset(row);
    const { key, subject, value } = this.#content(row, bytes, offset);
    const keptAt = this.#double(row, KEPT);
    const entry: PositiveEntry<V> = {
      state: "positive",
      key,
      scope: this.scopeOf(row),
      subject,
      provider: this.#providers.value(bytes.readUInt16LE(offset + PROVIDER_AT)),
      origin: ORIGINS[bytes[offset + ORIGIN_AT] ?? 0] ?? "provider",
      value,
      createdAt: this.#double(row, CREATED),
      expiresAt: this.#double(row, EXPIRES),
      refreshAt: this.#double(row, REFRESH),
      ground: this.numberOf(row),
    };
    return Number.isNaN(keptAt) ? entry : { ...entry, keptAt };
  }

  #content(row: number, bytes: Buffer, offset: number): EntryContent<V> & { readonly key: string } {
    const length = bytes[offset + LENGTH_AT] ?? 0;
    const object = length === AS_OBJECT ? this.#objects.get(row) : undefined;
    if (object !== undefined) return object;
    const key = bytes.toString("latin1", offset + KEY_AT, offset + KEY_AT + length);
    if (this.#codec === undefined) throw new RangeError("a row that nobody has written");
    return { key, ...this.#codec.read(key, bytes, offset + CODEC_AT) };
  }

  #isKey(row: number, key: string): boolean {
    const { bytes } = this.#table.block(row);
    const offset = PackedTable.offset(row);
    const length = bytes[offset + LENGTH_AT] ?? 0;
    if (length === AS_OBJECT) return this.#objects.get(row)?.key === key;
    if (length !== key.length) return false;
    for (let at = 0; at < length; at += 1) if (bytes[offset + KEY_AT + at] !== key.charCodeAt(at)) return false;
    return true;
  }

  #double(row: number, place: number): number {
    return this.#table.block(row).doubles[PackedTable.offset(row) / 8 + place] ?? 0;
  }
}

function isLatin1(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0xff) return false;
  return true;
}

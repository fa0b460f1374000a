import { type Gid, Lid, type PathRecord, PKey } from "@verbena/ib";
import { EntryRows } from "../cache/entry-rows.js";
import type { PreloadSource } from "../preload/types.js";
import type { Destination } from "../sdk/destination.js";
import type { Endpoint } from "../sdk/endpoint.js";
import type { AddressValue } from "./address-question.js";
import { destinationKey } from "./destination-key.js";
import { addressCodec } from "./entry-codecs.js";
import { PackedPaths } from "./packed-paths.js";
import type { RouteFields } from "./route-fields.js";

/** Hosts are kept like addresses of the cache; their life is that of the store. */
const HOST_KEY = ":";
const HOST_LIFE = {
  state: "positive",
  scope: { prefix: HOST_KEY, generation: 0 },
  provider: "file",
  origin: "file",
  createdAt: 0,
  expiresAt: Number.POSITIVE_INFINITY,
  refreshAt: Number.POSITIVE_INFINITY,
} as const;

/** A path of a file. `isLocal`: the port's own, which never expires. */
export interface FileRoute {
  readonly path: PathRecord;
  readonly isLocal: boolean;
}

/** What the preload files say about one endpoint's world. Kept apart from the caches, so that neither pushes the other out. */
export class FileStore {
  /** Made when there is something to keep: most ports have no files. */
  #paths: PackedPaths | undefined;
  readonly #hosts = new EntryRows<AddressValue>(addressCodec);
  /** LIDs of the port itself. */
  readonly #local = new Set<Lid>();

  private constructor(
    private readonly endpoint: Endpoint,
    /** On the clock, milliseconds: times to live count from here. */
    readonly loadedAt: number,
  ) {}

  /** Reads everything the files hold for the endpoint. Rejects only when aborted. */
  static async load(source: PreloadSource, endpoint: Endpoint, now: number, signal: AbortSignal): Promise<FileStore> {
    const store = new FileStore(endpoint, now);
    for await (const entry of source.entries(endpoint, signal)) {
      if (entry.kind === "address") {
        store.#putHost(entry.destination, entry.gid);
      } else {
        store.#paths ??= new PackedPaths();
        store.#paths.add(entry.path);
        if (entry.isLocal) store.#local.add(entry.path.dlid);
      }
    }
    return store;
  }

  get size(): number {
    return this.#hosts.size + (this.#paths?.size ?? 0);
  }

  address(key: string): Gid | undefined {
    const row = this.#hosts.find(HOST_KEY + key);
    return row < 0 ? undefined : this.#hosts.read(row).value.answer.gid;
  }

  /** The file's path for a question, if the question wishes nothing the file knows nothing about. */
  route(query: RouteFields): FileRoute | undefined {
    const { port, pkey } = this.endpoint;
    const isPlain =
      query.serviceId === undefined &&
      query.trafficClass === undefined &&
      query.sl === undefined &&
      query.qosClass === undefined &&
      query.sgid === port.gids[0] &&
      (query.slid === undefined || query.slid === Lid.base(port.lid, port.lmc)) &&
      PKey.samePartition(query.pkey, pkey);
    if (!isPlain) return undefined;
    const path = this.#find(query);
    if (path === undefined || (query.dgid !== undefined && query.dgid !== path.dgid)) return undefined;
    return this.#routeOf(path);
  }

  *hosts(): IterableIterator<{ readonly destination: Destination; readonly gid: Gid }> {
    for (let row = this.#hosts.oldest; row >= 0; row = this.#hosts.newerThan(row)) {
      const { subject: destination, value } = this.#hosts.read(row);
      if (value.answer.gid !== undefined) yield { destination, gid: value.answer.gid };
    }
  }

  *routes(): IterableIterator<FileRoute> {
    if (this.#paths !== undefined) for (const path of this.#paths.all()) yield this.#routeOf(path);
  }

  #find({ dlid, dgid }: RouteFields): PathRecord | undefined {
    if (dlid !== undefined) return this.#paths?.toLid(dlid);
    return dgid === undefined ? undefined : this.#paths?.toGid(dgid);
  }

  #routeOf(path: PathRecord): FileRoute {
    return { path, isLocal: this.#local.has(path.dlid) };
  }

  #putHost(destination: Destination, gid: Gid): void {
    const key = HOST_KEY + destinationKey(destination);
    const row = this.#hosts.find(key);
    if (row >= 0) this.#hosts.remove(row);
    const value = { answer: { gid }, routeKey: undefined };
    this.#hosts.add({ ...HOST_LIFE, key, subject: destination, value });
  }
}

import { type Gid, Lid, type PathRecord, PKey } from "@verbena/ib";
import type { PreloadSource } from "../preload/types.js";
import type { Destination } from "../sdk/destination.js";
import type { Endpoint } from "../sdk/endpoint.js";
import { destinationKey } from "./destination-key.js";
import type { RouteFields } from "./route-fields.js";

/** A path of a file. `isLocal`: the port's own, which never expires. */
export interface FileRoute {
  readonly path: PathRecord;
  readonly isLocal: boolean;
}

/** What the preload files say about one endpoint's world. Kept apart from the caches, so that neither pushes the other out. */
export class FileStore {
  readonly #byLid = new Map<Lid, FileRoute>();
  readonly #byGid = new Map<Gid, FileRoute>();
  readonly #hosts = new Map<string, { readonly destination: Destination; readonly gid: Gid }>();

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
        store.#hosts.set(destinationKey(entry.destination), entry);
      } else {
        const route: FileRoute = { path: entry.path, isLocal: entry.isLocal };
        store.#byLid.set(entry.path.dlid, route);
        store.#byGid.set(entry.path.dgid, route);
      }
    }
    return store;
  }

  get size(): number {
    return this.#hosts.size + this.#byLid.size;
  }

  address(key: string): Gid | undefined {
    return this.#hosts.get(key)?.gid;
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
    const found = query.dlid === undefined ? query.dgid && this.#byGid.get(query.dgid) : this.#byLid.get(query.dlid);
    if (found === undefined || typeof found === "bigint") return undefined;
    return query.dgid === undefined || query.dgid === found.path.dgid ? found : undefined;
  }

  hosts(): Iterable<{ readonly destination: Destination; readonly gid: Gid }> {
    return this.#hosts.values();
  }

  routes(): Iterable<FileRoute> {
    return this.#byLid.values();
  }
}

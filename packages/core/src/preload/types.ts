import type { Gid, PathRecord } from "@verbena/ib";
import type { Destination } from "../sdk/destination.js";
import type { Endpoint } from "../sdk/endpoint.js";

/**
 * Something a file says about one endpoint's world.
 *
 * `route`: a complete path; it goes into the route cache under its DLID and under its DGID. `address`: the GID behind a name or an
 * IP; its path is the `route` entry of that GID if there is one, else the route providers find it on first use.
 */
export type PreloadEntry =
  | {
      readonly kind: "route";
      readonly path: PathRecord;
      /** The port's own LID: never expires. */
      readonly isLocal: boolean;
    }
  | { readonly kind: "address"; readonly destination: Destination; readonly gid: Gid };

/** The preload files, as the engine's caches see them. */
export interface PreloadSource {
  /**
   * Everything the files hold for one endpoint, routes first. The files are read anew at each call and never held whole.
   * Never rejects but on abort: problems of the files are reported as they are met, and reading goes on.
   */
  entries(endpoint: Endpoint, signal?: AbortSignal): AsyncIterable<PreloadEntry>;
}

/** How readers tell of lines they skip. */
export type PreloadReport = (file: string, line: number | undefined, message: string) => void;

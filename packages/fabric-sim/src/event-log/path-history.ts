import type { Fabric } from "../fabric/fabric.js";
import type { FabricPort } from "../fabric/port.js";
import { effectivePaths, hostPorts } from "./effective-paths.js";
import type { LoggedPath, LoggedPathKey } from "./entries.js";

/** Host ports up to which every change of a path is logged; each change costs all pairs. */
export const MAX_LOGGED_HOST_PORTS = 128;

/** What is new since the last look. */
export interface PathChanges {
  readonly changed: readonly LoggedPath[];
  readonly removed: readonly LoggedPathKey[];
}

/** Knows the paths of the fabric as they were when it last looked. */
export class PathHistory {
  readonly #ports: readonly FabricPort[];
  #known = new Map<string, { readonly path: LoggedPath; readonly text: string }>();

  constructor(fabric: Fabric) {
    this.#ports = hostPorts(fabric);
  }

  /** False for fabrics that are too large. */
  get isFollowed(): boolean {
    return this.#ports.length <= MAX_LOGGED_HOST_PORTS;
  }

  /** The paths as the last look found them; `undefined` if they are not followed. */
  all(): readonly LoggedPath[] | undefined {
    return this.isFollowed ? [...this.#known.values()].map(({ path }) => path) : undefined;
  }

  /** Looks at all pairs again; `undefined` if nothing is new. */
  look(): PathChanges | undefined {
    if (!this.isFollowed) return undefined;
    const before = this.#known;
    const after: typeof before = new Map();
    const changed: LoggedPath[] = [];
    for (const path of effectivePaths(this.#ports, this.#ports)) {
      const key = `${path.from} ${path.to} ${path.dlid}`;
      const text = JSON.stringify(path);
      after.set(key, { path, text });
      if (before.get(key)?.text !== text) changed.push(path);
    }
    const removed = [...before].filter(([key]) => !after.has(key)).map(([, { path }]) => keyOf(path));
    this.#known = after;
    return changed.length === 0 && removed.length === 0 ? undefined : { changed, removed };
  }
}

function keyOf({ from, to, dlid }: LoggedPath): LoggedPathKey {
  return { from, to, dlid };
}

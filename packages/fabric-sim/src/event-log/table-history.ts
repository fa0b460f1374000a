import type { Fabric } from "../fabric/fabric.js";
import { type ForwardingTables, NO_ROUTE } from "../fabric/forwarding-tables.js";
import type { FabricNode } from "../fabric/node.js";
import type { LoggedTables } from "./entries.js";

/** Knows the tables of all switches as they were when it last looked. */
export class TableHistory {
  readonly #known = new Map<FabricNode, { routes: Map<number, number>; groups: Map<number, readonly number[]> }>();
  readonly #dirty: Set<FabricNode>;
  readonly #stops: readonly (() => void)[];

  /** @param onWrite called at each write to any table */
  constructor(
    private readonly fabric: Fabric,
    onWrite: () => void,
  ) {
    const switches = fabric.nodes.filter(({ tables }) => tables !== undefined);
    this.#dirty = new Set(switches);
    this.#stops = switches.flatMap((node) =>
      node.tables === undefined
        ? []
        : [
            node.tables.writes.add(() => {
              this.#dirty.add(node);
              onWrite();
            }),
          ],
    );
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  /** All entries of all tables. */
  all(): readonly LoggedTables[] {
    return this.fabric.nodes.flatMap((node) =>
      node.tables === undefined
        ? []
        : [{ node: node.id, routes: [...routesOf(node.tables)], groups: [...groupsOf(node.tables)] }],
    );
  }

  /** The entries that are not what they were. */
  look(): readonly LoggedTables[] {
    const changes: LoggedTables[] = [];
    for (const node of this.#dirty) {
      if (node.tables === undefined) continue;
      const before = this.#known.get(node) ?? { routes: new Map<number, number>(), groups: new Map() };
      const after = { routes: routesOf(node.tables), groups: groupsOf(node.tables) };
      this.#known.set(node, after);
      const routes = difference(before.routes, after.routes, NO_ROUTE, (a, b) => a === b);
      const groups = difference<readonly number[]>(before.groups, after.groups, [], (a, b) => String(a) === String(b));
      if (routes.length > 0 || groups.length > 0) changes.push({ node: node.id, routes, groups });
    }
    this.#dirty.clear();
    return changes;
  }
}

/** What packets find: LIDs above LinearFDBTop have no port, whatever stands there. */
function routesOf(tables: ForwardingTables): Map<number, number> {
  const routes = new Map<number, number>();
  for (let lid = 1; lid <= tables.top; lid++) {
    const port = tables.route(lid);
    if (port !== NO_ROUTE) routes.set(lid, port);
  }
  return routes;
}

function groupsOf(tables: ForwardingTables): Map<number, readonly number[]> {
  return new Map(tables.groupLids().map((mlid) => [mlid, [...tables.group(mlid)].sort((a, b) => a - b)]));
}

function difference<T>(
  before: ReadonlyMap<number, T>,
  after: ReadonlyMap<number, T>,
  nothing: T,
  isSame: (a: T, b: T) => boolean,
): (readonly [number, T])[] {
  const changes: (readonly [number, T])[] = [];
  for (const [key, value] of after) {
    const old = before.get(key);
    if (old === undefined || !isSame(old, value)) changes.push([key, value]);
  }
  for (const key of before.keys()) if (!after.has(key)) changes.push([key, nothing]);
  return changes;
}

import { Listeners } from "./events.js";

/** LFT entry that means "drop" (IBA 14.2.5.13). */
export const NO_ROUTE = 255;

const LINEAR_CAP = 0xc000;

/** The linear and the multicast forwarding table of a switch. */
export class ForwardingTables {
  /** Called after each write, whether it changed anything or not. */
  readonly writes = new Listeners<void>();
  readonly #linear = new Uint8Array(LINEAR_CAP).fill(NO_ROUTE);
  readonly #multicast = new Map<number, ReadonlySet<number>>();

  /** Highest LID + 1 that the linear table has entries for. */
  static readonly LINEAR_CAP = LINEAR_CAP;

  /** Highest LID with an entry, 0 if there is none; followed, since looking for it costs the whole table. */
  #highest = 0;
  #limit: number | undefined;

  /** Port for a unicast LID: 0 is the switch itself, `NO_ROUTE` drops; so does a LID above `top` (IBA 14.2.5.4). */
  route(lid: number): number {
    return this.#limit !== undefined && lid > this.#limit ? NO_ROUTE : this.entry(lid);
  }

  /** What the linear table holds for a LID, whether packets use it or not. */
  entry(lid: number): number {
    return this.#linear[lid] ?? NO_ROUTE;
  }

  setRoute(lid: number, port: number): void {
    this.#linear[lid] = port;
    if (port !== NO_ROUTE) this.#highest = Math.max(this.#highest, lid);
    else while (this.#highest > 0 && this.#linear[this.#highest] === NO_ROUTE) this.#highest -= 1;
    this.writes.emit();
  }

  clearRoutes(): void {
    this.#linear.fill(NO_ROUTE);
    this.#highest = 0;
    this.writes.emit();
  }

  /** SwitchInfo's LinearFDBTop: as it was written, else the highest LID with an entry, 0 if there is none. */
  get top(): number {
    return this.#limit ?? this.#highest;
  }

  /** Forwards no LID above `top` from now on. */
  limitTo(top: number): void {
    this.#limit = top;
    this.writes.emit();
  }

  /** Ports of a multicast LID. */
  group(mlid: number): ReadonlySet<number> {
    return this.#multicast.get(mlid) ?? EMPTY;
  }

  /** Multicast LIDs that have ports. */
  groupLids(): readonly number[] {
    return [...this.#multicast.keys()];
  }

  setGroup(mlid: number, ports: ReadonlySet<number>): void {
    if (ports.size === 0) this.#multicast.delete(mlid);
    else this.#multicast.set(mlid, ports);
    this.writes.emit();
  }

  clearGroups(): void {
    this.#multicast.clear();
    this.writes.emit();
  }
}

const EMPTY: ReadonlySet<number> = new Set();

/** LFT entry that means "drop" (IBA 14.2.5.13). */
export const NO_ROUTE = 255;

const LINEAR_CAP = 0xc000;

/** The linear and the multicast forwarding table of a switch. */
export class ForwardingTables {
  readonly #linear = new Uint8Array(LINEAR_CAP).fill(NO_ROUTE);
  readonly #multicast = new Map<number, ReadonlySet<number>>();

  /** Highest LID + 1 that the linear table has entries for. */
  static readonly LINEAR_CAP = LINEAR_CAP;

  /** Port for a unicast LID: 0 is the switch itself, `NO_ROUTE` drops. */
  route(lid: number): number {
    return this.#linear[lid] ?? NO_ROUTE;
  }

  setRoute(lid: number, port: number): void {
    this.#linear[lid] = port;
  }

  clearRoutes(): void {
    this.#linear.fill(NO_ROUTE);
  }

  /** Highest LID with an entry, 0 if there is none: SwitchInfo's LinearFDBTop. */
  get top(): number {
    return Math.max(
      0,
      this.#linear.findLastIndex((port) => port !== NO_ROUTE),
    );
  }

  /** Ports of a multicast LID. */
  group(mlid: number): ReadonlySet<number> {
    return this.#multicast.get(mlid) ?? EMPTY;
  }

  setGroup(mlid: number, ports: ReadonlySet<number>): void {
    if (ports.size === 0) this.#multicast.delete(mlid);
    else this.#multicast.set(mlid, ports);
  }

  clearGroups(): void {
    this.#multicast.clear();
  }
}

const EMPTY: ReadonlySet<number> = new Set();

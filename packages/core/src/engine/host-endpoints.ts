import { PKey } from "@verbena/ib";
import type { AddressBook, AddressBookChange } from "../addresses/address-book.js";
import { isOnEndpoint, localAddressKey } from "../addresses/local-addresses.js";
import type { LossBook } from "../losses/loss-book.js";
import type { PortSignalType, PortSource } from "../ports/port-source.js";
import type { PortChange, PortTable } from "../ports/port-table.js";
import type { SaObserver } from "../sa-client/sa-client-options.js";
import type { LocalAddress, Port } from "../sdk/endpoint.js";
import type { EngineChange } from "./contract.js";
import type { CounterBook } from "./counters.js";
import type { Feed } from "./feed.js";
import type { Ground } from "./footing.js";
import { endpointKey, LocalEndpoint } from "./local-endpoint.js";
import type { EngineSettings } from "./options.js";
import { PortRuntime, type PortRuntimeOptions } from "./port-runtime.js";

/** A port by device and number. */
interface PortPlace {
  readonly device: string;
  readonly port: number;
}

export interface HostEndpointsOptions {
  readonly settings: EngineSettings;
  readonly losses: LossBook;
  readonly book: AddressBook;
  readonly counters: CounterBook;
  readonly feed: Feed<EngineChange>;
  readonly source: PortSource;
  readonly saObserver: SaObserver;
  /** The port of these endpoints has other surroundings: what was learnt or is being asked through them has to be found anew. */
  readonly onSurroundings: (endpoints: readonly LocalEndpoint[], reason: string) => void;
  /** These endpoints are gone, and with them what was learnt or is being asked. */
  readonly onVoid: (endpoints: readonly LocalEndpoint[], reason: string) => void;
  /** A name or IP has become local, or has stopped to be: nobody may remember it as something else. */
  readonly onLocalAddress: (key: string) => void;
  /** Changes may have gone unheard: what was learnt so far, or is being asked, through these endpoints may rest on what was before. */
  readonly onNoticesMissed: (endpoints: readonly LocalEndpoint[], reason: string) => void;
  readonly onLearned: PortRuntimeOptions["onLearned"];
  readonly onDoubt: PortRuntimeOptions["onDoubt"];
  readonly onObserved: PortRuntimeOptions["onObserved"];
  readonly onNotices: PortRuntimeOptions["onNotices"];
}

/** The host's open ports and endpoints, in ibacm's order, and the index from local name or IP to endpoint. */
export class HostEndpoints {
  readonly #options: HostEndpointsOptions;
  readonly #runtimes = new Map<string, PortRuntime>();
  /** Last thing that happened to a port: a port is opened again only after its former life is over. */
  readonly #tails = new Map<string, Promise<unknown>>();
  readonly #openings = new Set<Promise<void>>();
  #table: PortTable | undefined;
  #isEnding = false;
  #orderedRuntimes: readonly PortRuntime[] = [];
  #ordered: readonly LocalEndpoint[] = [];
  #byAddress = new Map<string, LocalEndpoint>();
  #order: Ground = {};

  constructor(options: HostEndpointsOptions) {
    this.#options = options;
  }

  /** The table reports to {@link HostEndpoints.onPort} and is read for the order of ports. */
  start(table: PortTable): void {
    this.#table = table;
    table.start();
  }

  /** Everything opened so far has settled. */
  async settled(): Promise<void> {
    await Promise.all(this.#openings);
  }

  /** ibacm's order: devices last opened first, active ports ascending, endpoints newest first. */
  endpoints(): readonly LocalEndpoint[] {
    return this.#ordered;
  }

  /** Open ports in the same order. */
  runtimes(): readonly PortRuntime[] {
    return this.#orderedRuntimes;
  }

  /** The active port of that device and number; `undefined` if it has gone. */
  runtimeOf(place: PortPlace): PortRuntime | undefined {
    const name = portName(place);
    return this.#orderedRuntimes.find(({ port }) => portName(port) === name);
  }

  /** Stands for what the choice of an endpoint goes by: ports, endpoints, their order, states and addresses. */
  get order(): Ground {
    return this.#order;
  }

  byAddress(key: string): LocalEndpoint | undefined {
    return this.#byAddress.get(key);
  }

  readonly onPort = (change: PortChange): void => {
    const { port } = change;
    const { feed } = this.#options;
    switch (change.type) {
      case "opened":
        this.#open(port);
        break;
      case "closed":
        this.#close(port, this.#isEnding);
        break;
      case "changed": {
        const runtime = this.#runtimes.get(portName(port));
        runtime?.renew(port, change.signal, change.raw, () => {
          this.#options.onSurroundings(runtime.endpoints, changeReason(change.signal));
        });
        this.#reorder();
        break;
      }
      default:
        change satisfies never;
    }
    const state = change.type === "closed" ? "down" : port.state;
    feed.emit({ type: "port", device: port.device, port: port.port, state, generation: port.generation });
  };

  readonly onAddress = (change: AddressBookChange): void => {
    const key = localAddressKey(change.local);
    this.#options.onLocalAddress(key);
    for (const runtime of this.#runtimes.values()) {
      if (!runtime.port.gids.includes(change.host.gid)) continue;
      if (change.type === "added") this.#addAddress(runtime, change);
      else this.#removeAddress(runtime, change, key);
    }
    this.#reindex();
  };

  /** The address file has changed: brings every endpoint in line with the book. */
  reconcile(): void {
    const { book, onLocalAddress } = this.#options;
    for (const runtime of this.#runtimes.values()) {
      const { port } = runtime;
      for (const [index, pkey] of port.pkeys.entries()) {
        if (PKey.base(pkey) === 0) continue;
        const key = endpointKey(port, pkey);
        const wanted = new Map(book.addressesOf(port, pkey).map((address) => [localAddressKey(address), address]));
        const endpoint = runtime.endpoints.find((candidate) => candidate.key === key);
        for (const gone of [...(endpoint?.addressKeys() ?? [])]) {
          if (endpoint === undefined || wanted.has(gone)) continue;
          onLocalAddress(gone);
          this.#dropAddress(runtime, endpoint, gone);
        }
        if (endpoint === undefined && wanted.size > 0) this.#grow(runtime, pkey, index);
        for (const [added, address] of wanted) {
          if (endpoint?.address(added) !== undefined) continue;
          onLocalAddress(added);
          if (endpoint !== undefined) this.#placeAddress(runtime, endpoint, address);
        }
      }
    }
    this.#reindex();
  }

  /** Ports that are closed from now on are still there: the SA can be told. */
  end(): void {
    this.#isEnding = true;
  }

  async close(): Promise<void> {
    for (const runtime of [...this.#runtimes.values()]) this.#close(runtime.port, true);
    await Promise.all(this.#tails.values());
  }

  #open(port: Port): void {
    const { settings, losses, source, feed, onLearned, onDoubt, onObserved, onNotices, saObserver } = this.#options;
    const name = portName(port);
    const named = new Set([...settings.chains.address, ...settings.chains.route]);
    const providers = new Map([...settings.providers].filter(([provider]) => named.has(provider)));
    const verbs = source.devices().find((device) => device.name === port.device)?.verbs;
    const onNoticesMissed = (missing: PortRuntime, reason: string): void => {
      // The tables behind the providers go first: who is looked up again must not find them.
      missing.missNotices();
      this.#options.onNoticesMissed(missing.endpoints, reason);
    };
    const on = { onLearned, onDoubt, onObserved, onNotices, onNoticesMissed, saObserver };
    const runtime = new PortRuntime({ settings, losses, port, providers, verbs, ...on });
    this.#runtimes.set(name, runtime);
    const keys = new Set<string>();
    for (const [index, pkey] of port.pkeys.entries()) {
      if (PKey.base(pkey) === 0 || keys.has(endpointKey(port, pkey))) continue;
      const addresses = this.#options.book.addressesOf(port, pkey);
      if (addresses.length === 0) continue;
      keys.add(endpointKey(port, pkey));
      runtime.endpoints.push(this.#make(port, pkey, index, addresses));
    }
    this.#reindex();
    for (const { key } of runtime.endpoints) feed.emit({ type: "endpoint", key, event: "added" });
    const opening = runtime.open(this.#tails.get(name) ?? Promise.resolve());
    this.#openings.add(opening);
    void opening.finally(() => this.#openings.delete(opening));
  }

  #close(port: Port, isPortActive: boolean): void {
    const name = portName(port);
    const runtime = this.#runtimes.get(name);
    if (runtime === undefined) return;
    this.#runtimes.delete(name);
    const closing = Promise.all([this.#tails.get(name), runtime.close(isPortActive)]);
    this.#tails.set(name, closing);
    void closing.finally(() => {
      if (this.#tails.get(name) === closing) this.#tails.delete(name);
    });
    this.#reindex();
    this.#options.onVoid(runtime.endpoints, "the port has changed or gone");
    for (const { key } of runtime.endpoints) this.#options.feed.emit({ type: "endpoint", key, event: "removed" });
  }

  #addAddress(runtime: PortRuntime, { host, local }: AddressBookChange): void {
    const { port } = runtime;
    const homes = runtime.endpoints.filter(({ endpoint }) => isOnEndpoint(host, port, endpoint.pkey));
    for (const endpoint of homes) this.#placeAddress(runtime, endpoint, local);
    if (homes.length > 0) return;
    const index = port.pkeys.findIndex((pkey) => PKey.base(pkey) !== 0 && PKey.samePartition(pkey, host.pkey));
    const pkey = port.pkeys[index];
    if (pkey !== undefined) this.#grow(runtime, pkey, index);
  }

  #removeAddress(runtime: PortRuntime, { host }: AddressBookChange, key: string): void {
    for (const endpoint of runtime.endpoints) {
      if (isOnEndpoint(host, runtime.port, endpoint.endpoint.pkey)) this.#dropAddress(runtime, endpoint, key);
    }
  }

  /** A partition that had no address when the port came up has one now. */
  #grow(runtime: PortRuntime, pkey: PKey, index: number): void {
    const addresses = this.#options.book.addressesOf(runtime.port, pkey);
    const endpoint = this.#make(runtime.port, pkey, index, addresses);
    runtime.addEndpoint(endpoint);
    this.#options.feed.emit({ type: "endpoint", key: endpoint.key, event: "added" });
    for (const address of addresses) this.#emitAddress(endpoint, address, "added");
  }

  #placeAddress(runtime: PortRuntime, endpoint: LocalEndpoint, address: LocalAddress): void {
    if (!endpoint.addAddress(address)) return;
    runtime.tellAddress(endpoint, "added", address);
    this.#emitAddress(endpoint, address, "added");
  }

  #dropAddress(runtime: PortRuntime, endpoint: LocalEndpoint, key: string): void {
    const gone = endpoint.removeAddress(key);
    if (gone === undefined) return;
    runtime.tellAddress(endpoint, "removed", gone);
    this.#emitAddress(endpoint, gone, "removed");
  }

  #make(port: Port, pkey: PKey, pkeyIndex: number, addresses: readonly LocalAddress[]): LocalEndpoint {
    const { counters, feed } = this.#options;
    return new LocalEndpoint({
      port,
      pkey,
      pkeyIndex,
      addresses,
      account: counters.of(endpointKey(port, pkey)),
      onScope: this.#options.settings.onLost,
      onState: ({ key }, state) => {
        this.#reorder();
        feed.emit({ type: "endpoint", key, event: "state", state });
      },
    });
  }

  #emitAddress(endpoint: LocalEndpoint, { text }: LocalAddress, event: "added" | "removed"): void {
    this.#options.feed.emit({ type: "address", endpoint: endpoint.key, address: text, event });
  }

  #reindex(): void {
    const active = this.#table?.active() ?? [];
    this.#orderedRuntimes = active.flatMap((port) => this.#runtimes.get(portName(port)) ?? []);
    this.#ordered = this.#orderedRuntimes.flatMap(({ endpoints }) => [...endpoints].reverse());
    const byAddress = new Map<string, LocalEndpoint>();
    for (const endpoint of this.#ordered) {
      for (const key of endpoint.addressKeys()) if (!byAddress.has(key)) byAddress.set(key, endpoint);
    }
    this.#byAddress = byAddress;
    this.#reorder();
  }

  /** Endpoints may be chosen in another way from now on. */
  #reorder(): void {
    const old = this.#order;
    this.#order = {};
    this.#options.settings.onLost(old);
  }
}

/** Why nearly everything is forgotten, for who watches the changes. */
function changeReason(signal: PortSignalType): string {
  return signal === "refresh" || signal === "unknown" ? "the port has changed" : `the port has changed: ${signal}`;
}

function portName({ device, port }: PortPlace): string {
  return `${device}/${port}`;
}

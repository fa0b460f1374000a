import type { Gid, Lid, PathRecord, PKey } from "@verbena/ib";
import { localAddressKey } from "../addresses/local-addresses.js";
import type { CacheScope } from "../cache/cache-entry.js";
import type { Endpoint, LocalAddress, Port } from "../sdk/endpoint.js";
import type { EndpointSession, SessionState } from "../sdk/provider.js";
import type { EndpointIdentity, EndpointStatus } from "./contract.js";
import type { EndpointAccount, MutableCounters } from "./endpoint-account.js";
import {
  ENDPOINT_STATE,
  type EndpointPhase,
  type EndpointSignal,
  isOpening,
  sightOf,
  stepEndpoint,
} from "./endpoint-machine.js";
import type { FileStore } from "./file-store.js";
import { loopbackPath } from "./loopback.js";
import { NoticeLog } from "./notice-log.js";

export function endpointKey(port: Port, pkey: PKey): string {
  return `${port.device}/${port.port}/0x${pkey.toString(16).padStart(4, "0")}`;
}

/** When something was found out: in which world, and after which of the SA's notices. */
export interface Moment {
  readonly scope: CacheScope;
  readonly heard: number;
}

let nextNumber = 1;

export interface LocalEndpointOptions {
  readonly port: Port;
  readonly pkey: PKey;
  readonly pkeyIndex: number;
  readonly addresses: readonly LocalAddress[];
  /** Outlives the endpoint. */
  readonly account: EndpointAccount;
  /** Its scope is another one than before. */
  readonly onScope?: (old: CacheScope) => void;
  /** It has another state than before; not told when it is closed. */
  readonly onState: (endpoint: LocalEndpoint, state: SessionState) => void;
}

/**
 * A local endpoint at work: the snapshot providers see, its addresses by slot, the providers' sessions, and the scope its cache entries
 * belong to.
 */
export class LocalEndpoint {
  readonly key: string;
  readonly account: EndpointAccount;
  /** Short and unique in this process; begins every cache key of this endpoint. */
  readonly prefix = `${(nextNumber++).toString(36)}:`;
  readonly #slots: (LocalAddress | undefined)[];
  readonly #byKey = new Map<string, LocalAddress>();
  readonly #sessions = new Map<string, EndpointSession>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #onState: LocalEndpointOptions["onState"];
  readonly #onScope: LocalEndpointOptions["onScope"];
  #endpoint: Endpoint;
  #identity: EndpointIdentity;
  #loopback: PathRecord;
  #scope: CacheScope;
  #phase: EndpointPhase = "opening";
  #settle: () => void = () => undefined;
  /** Settles when the endpoint is ready, or when it is known that it is not. Never rejects. */
  readonly opened: Promise<void>;
  /** What the SA has said of other ports. */
  readonly notices = new NoticeLog();
  /** What the preload files say; absent until read. */
  files: FileStore | undefined;

  constructor(options: LocalEndpointOptions) {
    this.key = endpointKey(options.port, options.pkey);
    this.account = options.account;
    this.#onState = options.onState;
    this.#onScope = options.onScope;
    this.#slots = [...options.addresses];
    for (const address of options.addresses) this.#byKey.set(localAddressKey(address), address);
    this.#endpoint = {
      key: this.key,
      port: options.port,
      pkey: options.pkey,
      pkeyIndex: options.pkeyIndex,
      addresses: options.addresses,
    };
    this.#identity = identityOf(this.#endpoint);
    this.#loopback = loopbackPath(this.#endpoint);
    this.#scope = { prefix: this.prefix, generation: options.port.generation };
    this.opened = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** The snapshot providers see. */
  get endpoint(): Endpoint {
    return this.#endpoint;
  }
  /** What the core counts here. */
  get counters(): MutableCounters {
    return this.account.own;
  }
  get identity(): EndpointIdentity {
    return this.#identity;
  }
  get loopback(): PathRecord {
    return this.#loopback;
  }
  /** Changes identity with every generation: an answer that belongs to an older one is worthless. */
  get scope(): CacheScope {
    return this.#scope;
  }
  get moment(): Moment {
    return { scope: this.#scope, heard: this.notices.position };
  }
  /** Whether what was found out then, and leads to these ends, may be wrong by now. */
  isPast({ scope, heard }: Moment, ends: readonly (Gid | Lid)[]): boolean {
    return this.#scope !== scope || this.notices.hasChanged(heard, ends);
  }
  get state(): SessionState {
    return ENDPOINT_STATE[this.#phase];
  }
  get phase(): EndpointPhase {
    return this.#phase;
  }
  get hasAddress(): boolean {
    return this.#byKey.size > 0;
  }
  /** The first GID of the port: the source of paths that name none. */
  get gid(): Gid {
    return this.#loopback.sgid;
  }
  get baseLid(): Lid {
    return this.#loopback.slid;
  }

  /** The local address behind a destination's key. */
  address(key: string): LocalAddress | undefined {
    return this.#byKey.get(key);
  }

  addressKeys(): Iterable<string> {
    return this.#byKey.keys();
  }

  /** The same port with other surroundings: what was learnt through it belongs to the past, unless it is brought into the new scope. */
  renew(port: Port): void {
    this.#endpoint = { ...this.#endpoint, port };
    this.#identity = identityOf(this.#endpoint);
    this.#loopback = loopbackPath(this.#endpoint);
    this.#enter({ prefix: this.prefix, generation: port.generation });
  }

  /** Forgets what was learnt, in the same generation of the port. */
  forget(): void {
    this.#enter({ ...this.#scope });
  }

  #enter(scope: CacheScope): void {
    const old = this.#scope;
    this.#scope = scope;
    this.#onScope?.(old);
  }

  /** Into the first free slot; false when it is there already. */
  addAddress(address: LocalAddress): boolean {
    const key = localAddressKey(address);
    if (this.#byKey.has(key)) return false;
    const free = this.#slots.indexOf(undefined);
    if (free < 0) this.#slots.push(address);
    else this.#slots[free] = address;
    this.#byKey.set(key, address);
    this.#refreshAddresses();
    return true;
  }

  removeAddress(key: string): LocalAddress | undefined {
    const address = this.#byKey.get(key);
    if (address === undefined) return undefined;
    this.#byKey.delete(key);
    this.#slots[this.#slots.indexOf(address)] = undefined;
    this.#refreshAddresses();
    return address;
  }

  /** Takes a provider's session in. */
  attach(provider: string, session: EndpointSession): void {
    this.#sessions.set(provider, session);
    this.#unsubscribe.push(
      session.onState(() => {
        this.#step("sessions");
      }),
    );
    this.#step("sessions");
  }

  /** Every provider has answered, one way or the other. */
  finishOpening(): void {
    this.#step("opened");
  }

  session(provider: string): EndpointSession | undefined {
    return this.#sessions.get(provider);
  }

  /** Whether one of these providers may still come: its session is being opened, or is joining. */
  isAwaiting(providers: readonly string[]): boolean {
    return providers.some((provider) => {
      const session = this.#sessions.get(provider);
      return session === undefined ? isOpening(this.#phase) : session.state === "joining";
    });
  }

  sessions(): ReadonlyMap<string, EndpointSession> {
    return this.#sessions;
  }

  /** Lets go of the sessions; who calls disposes them. */
  detach(): ReadonlyMap<string, EndpointSession> {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    const sessions = new Map(this.#sessions);
    this.#sessions.clear();
    this.forget();
    this.#step("close");
    return sessions;
  }

  status(provider: string): EndpointStatus {
    return {
      ...this.#identity,
      state: this.state,
      lid: this.#endpoint.port.lid,
      gid: this.gid,
      provider,
      addresses: this.#endpoint.addresses.map((address) => address.text),
      counters: this.account.read(),
      groups: [...this.#sessions.values()].flatMap((session) => session.groups?.() ?? []),
      duplicates: [...this.#sessions.values()].flatMap((session) => session.duplicates?.() ?? []),
    };
  }

  #refreshAddresses(): void {
    this.#endpoint = { ...this.#endpoint, addresses: this.#slots.filter((address) => address !== undefined) };
  }

  #step(signal: EndpointSignal): void {
    const sight = sightOf([...this.#sessions.values()].map((session) => session.state));
    const { next, action } = stepEndpoint(this.#phase, sight, signal);
    this.#phase = next;
    if (action !== "none") this.#settle();
    if (action === "tell") this.#onState(this, this.state);
  }
}

function identityOf({ key, port, pkey }: Endpoint): EndpointIdentity {
  return { key, device: port.device, nodeGuid: port.nodeGuid, port: port.port, portCount: port.portCount, pkey };
}

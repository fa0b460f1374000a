import { Gid, type Lid } from "@verbena/ib";
import type { Context, VerbsContext } from "@verbena/native";
import type { LossBook } from "../losses/loss-book.js";
import type { MembershipBook } from "../memberships/membership-book.js";
import { type NoticeState, PortNotices } from "../notices/port-notices.js";
import type { PortSignalType } from "../ports/port-source.js";
import type { SaObserver } from "../sa-client/sa-client-options.js";
import type { Destination } from "../sdk/destination.js";
import type { LocalAddress, Port } from "../sdk/endpoint.js";
import type { EndpointSession, LearnedEntry, PortEvent, PortSession, ResolutionProvider } from "../sdk/provider.js";
import type { ProviderEvent } from "../sdk/provider-event.js";
import type { SaNotice } from "../sdk/sa-notice.js";
import type { Logger, PortServices, SaService } from "../sdk/services.js";
import { FileStore } from "./file-store.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { EngineSettings } from "./options.js";
import { PortSa } from "./port-sa.js";
import { callProvider } from "./provider-call.js";
import { settledWithin } from "./wait-for.js";

export interface PortRuntimeOptions {
  readonly settings: EngineSettings;
  readonly losses: LossBook;
  readonly port: Port;
  /** The providers the chains name, in the order they were configured. */
  readonly providers: ReadonlyMap<string, ResolutionProvider>;
  readonly verbs: VerbsContext | undefined;
  /** A provider has overheard something on an endpoint of this port. */
  readonly onLearned: (endpoint: LocalEndpoint, provider: string, entry: LearnedEntry) => void;
  /** A provider has heard something that makes paths to these ends doubtful. */
  readonly onDoubt: (runtime: PortRuntime, ends: readonly (Gid | Lid)[], reason: string) => void;
  /** A provider tells what it does on an endpoint of this port; `event` is to be called at once or not at all. */
  readonly onObserved: (endpoint: LocalEndpoint, provider: string, event: () => ProviderEvent) => void;
  readonly saObserver: SaObserver;
  /** The SA reports changes elsewhere; the providers have been told. */
  readonly onNotices: (runtime: PortRuntime, notices: readonly SaNotice[]) => void;
  /** The SA may have reported what was not heard. */
  readonly onNoticesMissed: (runtime: PortRuntime, reason: string) => void;
}

/**
 * How long the opening of a port waits for its subscription to notices, milliseconds: what is learnt before the grant is asked for again after it.
 */
const SUBSCRIBING_MS = 1_000;

/** An open port: its SA client, what the providers have opened on it, and its endpoints, oldest first. */
export class PortRuntime {
  readonly endpoints: LocalEndpoint[] = [];
  readonly sa: PortSa;
  readonly #settings: EngineSettings;
  readonly #logger: Logger;
  readonly #providers: ReadonlyMap<string, ResolutionProvider>;
  readonly #verbs: VerbsContext | undefined;
  readonly #onLearned: PortRuntimeOptions["onLearned"];
  readonly #onDoubt: PortRuntimeOptions["onDoubt"];
  readonly #onObserved: PortRuntimeOptions["onObserved"];
  readonly #notices: PortNotices | undefined;
  readonly #memberships: ReturnType<MembershipBook["open"]>;
  /** Sessions that are open already: they hear of notices before anybody is asked again. */
  readonly #listening = new Map<string, PortSession>();
  readonly #sessions = new Map<string, Promise<PortSession | undefined>>();
  readonly #ended = new AbortController();
  readonly #work = new Set<Promise<unknown>>();
  #port: Port;

  constructor(options: PortRuntimeOptions) {
    this.#settings = options.settings;
    this.#port = options.port;
    this.#providers = options.providers;
    this.#verbs = options.verbs;
    this.#onLearned = options.onLearned;
    this.#onDoubt = options.onDoubt;
    this.#onObserved = options.onObserved;
    this.#logger = options.settings.logger.child({ device: options.port.device, port: options.port.port });
    const { settings, losses, port, saObserver: observer } = options;
    this.sa = new PortSa({ settings, losses, port, logger: this.#logger, observer });
    const { accounts, clock } = options.settings;
    this.#memberships = accounts.memberships.open(port.gids[0] ?? Gid.zero, this.sa, clock);
    this.#notices = options.settings.notices ? this.#openNotices(options) : undefined;
  }

  get port(): Port {
    return this.#port;
  }

  get noticeState(): NoticeState {
    return this.#notices?.state ?? "off";
  }

  /** Opens the port with every provider once `ready` has settled, then whatever endpoints there are. */
  open(ready: Promise<unknown>): Promise<void> {
    for (const [name, provider] of this.#providers) this.#sessions.set(name, this.#openPort(name, provider, ready));
    void ready.then(() => {
      if (!this.#isEnded()) this.#notices?.start();
    });
    const { clock } = this.#settings;
    const subscribing = this.#notices === undefined ? [] : [settledWithin(clock, this.#notices.tried, SUBSCRIBING_MS)];
    const opening = this.endpoints.map((endpoint) => this.#openEndpoint(endpoint));
    return Promise.all([...opening, ...subscribing]).then(() => undefined);
  }

  /** An endpoint that came when the port was open already. */
  addEndpoint(endpoint: LocalEndpoint): void {
    this.endpoints.push(endpoint);
    void this.#openEndpoint(endpoint);
  }

  /** The port's new snapshot; the endpoints stay, the providers are told. `onNew` is called when what was learnt under the one before is void. */
  renew(port: Port, signal: PortSignalType, raw: unknown, onNew: () => void): void {
    const isNew = port.generation !== this.#port.generation;
    this.#port = port;
    if (isNew) {
      for (const endpoint of this.endpoints) endpoint.renew(port);
      // Before the SA client hears of it: it must not repeat questions that are void.
      onNew();
      this.sa.update(port);
      this.#notices?.renew(port);
    }
    this.#tell(portEvent(port, signal, raw));
  }

  /** The core has forgotten everything, or one destination: the providers forget what they keep of it, and the files are read again. */
  flush(destination: Destination | undefined): void {
    this.#tell({ type: "flush", port: this.#port, ...(destination === undefined ? {} : { destination }) });
    void this.#reloadFiles();
  }

  /**
   * Something may have changed that nobody here has heard of: the providers forget what they keep, or doubt it, before this returns. The files
   * are not the SA's and stay.
   */
  missNotices(): void {
    this.#tellAtOnce({ type: "flush", cause: "notices-missed", port: this.#port });
  }

  tellAddress(endpoint: LocalEndpoint, change: "added" | "removed", address: LocalAddress): void {
    for (const [name, session] of endpoint.sessions()) this.#tellSession(name, session, change, address);
  }

  /**
   * Endpoints first, then the port, then the way to the SA. What providers still open arrives closed. `isPortActive`: the SA can be told
   * that nobody listens any more.
   */
  async close(isPortActive: boolean): Promise<void> {
    this.#ended.abort();
    this.#memberships.close();
    // However small the window is, the last words need not wait for a slow answer.
    this.sa.end();
    const farewell = this.#notices?.close(isPortActive);
    await Promise.all(this.endpoints.map((endpoint) => this.#closeSessions(endpoint)));
    await farewell;
    await this.sa.close();
    await Promise.all(this.#work);
    for (const [name, opening] of this.#sessions) {
      const session = await opening;
      if (session !== undefined) await this.#dispose(name, "closing the port", session);
    }
  }

  #openNotices({ settings, losses, port, onNotices, onNoticesMissed }: PortRuntimeOptions): PortNotices {
    const { clock, random, metrics, native } = settings;
    return new PortNotices({
      umad: native.umad,
      sa: this.sa,
      tell: (query) => {
        this.sa.tell(query);
      },
      port,
      clock,
      random,
      metrics,
      logger: this.#logger,
      losses,
      onNotices: (notices) => {
        for (const notice of notices) this.#tellAtOnce({ type: "notice", notice, port: this.#port });
        onNotices(this, notices);
      },
      onMissed: (reason) => {
        onNoticesMissed(this, reason);
      },
    });
  }

  async #openPort(
    name: string,
    provider: ResolutionProvider,
    ready: Promise<unknown>,
  ): Promise<PortSession | undefined> {
    await ready;
    if (this.#ended.signal.aborted) return undefined;
    const logger = this.#logger.child({ provider: name });
    // Asking is all that providers do with it.
    const sa: SaService = { query: (query) => this.sa.query(query) };
    const { forProviders: memberships } = this.#memberships;
    const services = { sa, umad: this.#settings.native.umad, memberships, logger, ...deviceServices(this.#verbs) };
    const session = await callProvider(this.#settings, name, "opening the port", () =>
      provider.openPort(this.#port, services),
    );
    if (session !== undefined) this.#listening.set(name, session);
    return session;
  }

  async #openEndpoint(endpoint: LocalEndpoint): Promise<void> {
    const opening = [...this.#sessions].map(([name, session]) => this.#openSession(endpoint, name, session));
    await this.#track(Promise.all([this.#loadFiles(endpoint), ...opening]));
    if (!this.#ended.signal.aborted) endpoint.finishOpening();
  }

  async #openSession(endpoint: LocalEndpoint, name: string, opening: Promise<PortSession | undefined>): Promise<void> {
    const port = await opening;
    if (port === undefined || this.#isEnded()) return;
    const seen = endpoint.endpoint;
    const session = await callProvider(this.#settings, name, `opening endpoint ${endpoint.key}`, () =>
      port.openEndpoint(seen, {
        learn: (entry) => {
          if (!this.#isEnded()) this.#onLearned(endpoint, name, entry);
        },
        doubt: (ends, reason) => {
          if (!this.#isEnded()) this.#onDoubt(this, ends, reason);
        },
        observe: (event) => {
          if (!this.#isEnded()) this.#onObserved(endpoint, name, event);
        },
        logger: this.#logger.child({ provider: name, endpoint: endpoint.key }),
      }),
    );
    if (session === undefined) return;
    if (this.#isEnded()) {
      await this.#dispose(name, "closing an endpoint", session);
      return;
    }
    void callProvider(this.#settings, name, "counters", () => endpoint.account.attach(session));
    await callProvider(this.#settings, name, "state", () => endpoint.attach(name, session));
    this.#catchUp(name, session, seen.addresses, endpoint.endpoint.addresses);
  }

  /** What came or went while the provider was opening the endpoint was told to nobody. */
  #catchUp(name: string, session: EndpointSession, seen: readonly LocalAddress[], now: readonly LocalAddress[]): void {
    for (const address of seen) if (!now.includes(address)) this.#tellSession(name, session, "removed", address);
    for (const address of now) if (!seen.includes(address)) this.#tellSession(name, session, "added", address);
  }

  #tellSession(name: string, session: EndpointSession, change: "added" | "removed", address: LocalAddress): void {
    const tell = (): Promise<void> =>
      change === "added" ? session.addAddress(address) : session.removeAddress(address);
    void this.#track(callProvider(this.#settings, name, `address ${address.text} ${change}`, tell));
  }

  /** Asked anew after each wait. */
  #isEnded(): boolean {
    return this.#ended.signal.aborted;
  }

  #tell(event: PortEvent): void {
    for (const [name, opening] of this.#sessions) {
      void opening.then((session) =>
        callProvider(this.#settings, name, `event ${event.type}`, () => session?.onEvent?.(event)),
      );
    }
  }

  /** Sessions that are being opened are told nothing: they have learnt nothing that they keep. */
  #tellAtOnce(event: PortEvent): void {
    for (const [name, session] of this.#listening) {
      void callProvider(this.#settings, name, `event ${event.type}`, () => session.onEvent?.(event));
    }
  }

  async #reloadFiles(): Promise<void> {
    await Promise.all(this.endpoints.map((endpoint) => this.#loadFiles(endpoint)));
  }

  async #loadFiles(endpoint: LocalEndpoint): Promise<void> {
    const { preload, clock } = this.#settings;
    if (preload === undefined) return;
    try {
      endpoint.files = await FileStore.load(preload, endpoint.endpoint, clock.now(), this.#ended.signal);
    } catch (error) {
      if (!this.#ended.signal.aborted) this.#logger.error("preload failed", { error: String(error) });
    }
  }

  async #closeSessions(endpoint: LocalEndpoint): Promise<void> {
    const close = async ([name, session]: readonly [string, EndpointSession]): Promise<void> => {
      void callProvider(this.#settings, name, "counters", () => endpoint.account.retire(session));
      await this.#dispose(name, "closing an endpoint", session);
    };
    await Promise.all([...endpoint.detach()].map(close));
  }

  #dispose(name: string, what: string, session: AsyncDisposable): Promise<unknown> {
    return callProvider(this.#settings, name, what, () => session[Symbol.asyncDispose]());
  }

  /** Work that closing waits for. */
  #track<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work);
    const done = (): void => {
      this.#work.delete(work);
    };
    work.then(done, done);
    return work;
  }
}

/** What an open device can do for a provider. */
function deviceServices(verbs: VerbsContext | undefined): Pick<PortServices, "verbs" | "rdma"> {
  if (verbs === undefined) return {};
  return canDoRdma(verbs) ? { verbs, rdma: verbs } : { verbs };
}

/** A native side that an embedder hands in may know queries only. */
function canDoRdma(verbs: VerbsContext): verbs is Context {
  return "createProtectionDomain" in verbs;
}

function portEvent(port: Port, signal: PortSignalType, raw: unknown): PortEvent {
  switch (signal) {
    case "lid-change":
    case "gid-change":
    case "pkey-change":
    case "sm-change":
    case "client-reregister":
      return { type: signal, port };
    case "unknown":
      return { type: "unknown", raw, port };
    case "port-active":
    case "port-err":
    case "refresh":
      // The port is the same and stays active; what was seen is that the SM is another one.
      return { type: "sm-change", port };
    default:
      return signal satisfies never;
  }
}

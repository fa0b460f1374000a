import type { VerbsContext } from "@verbena/native";
import { coreError } from "../errors.js";
import type { LossBook } from "../losses/loss-book.js";
import { type NoticeState, PortNotices } from "../notices/port-notices.js";
import type { PortSignalType } from "../ports/port-source.js";
import { SaBreaker } from "../sa-client/sa-breaker.js";
import { SaClient } from "../sa-client/sa-client.js";
import type { SaClientStats, SaObserver } from "../sa-client/sa-client-options.js";
import { adaptiveWindow } from "../sa-client/sa-window.js";
import type { Destination } from "../sdk/destination.js";
import type { LocalAddress, Port } from "../sdk/endpoint.js";
import type { EndpointSession, LearnedEntry, PortEvent, PortSession, ResolutionProvider } from "../sdk/provider.js";
import type { SaNotice } from "../sdk/sa-notice.js";
import type { Logger, SaService } from "../sdk/services.js";
import { FileStore } from "./file-store.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { EngineSettings } from "./options.js";
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
  readonly saObserver: SaObserver;
  /** The SA reports changes elsewhere; the providers have been told. */
  readonly onNotices: (runtime: PortRuntime, notices: readonly SaNotice[]) => void;
  /** The SA may have reported what was not heard. */
  readonly onNoticesMissed: (runtime: PortRuntime, reason: string) => void;
}

/** How long a port whose way to the SA could not be opened, or broke, is left alone before a question tries again, milliseconds. */
const REOPEN_SA_MS = 1_000;

/**
 * How long the opening of a port waits for its subscription to notices, milliseconds: what is learnt before the grant is asked for again after it.
 */
const SUBSCRIBING_MS = 1_000;

/** An open port: its SA client, what the providers have opened on it, and its endpoints, oldest first. */
export class PortRuntime {
  readonly endpoints: LocalEndpoint[] = [];
  readonly sa: SaService;
  readonly #settings: EngineSettings;
  readonly #losses: LossBook;
  readonly #logger: Logger;
  /** `undefined` while the way to the SA could not be opened, or is broken; then why. */
  #client: SaClient | undefined;
  #saFailure: Error | undefined;
  /** When opening it is tried again, on the clock. */
  #reopenAt = 0;
  readonly #providers: ReadonlyMap<string, ResolutionProvider>;
  readonly #verbs: VerbsContext | undefined;
  readonly #onLearned: PortRuntimeOptions["onLearned"];
  readonly #notices: PortNotices | undefined;
  /** Sessions that are open already: they hear of notices before anybody is asked again. */
  readonly #listening = new Map<string, PortSession>();
  readonly #sessions = new Map<string, Promise<PortSession | undefined>>();
  readonly #ended = new AbortController();
  readonly #work = new Set<Promise<unknown>>();
  #port: Port;

  constructor(options: PortRuntimeOptions) {
    this.#settings = options.settings;
    this.#losses = options.losses;
    this.#port = options.port;
    this.#providers = options.providers;
    this.#verbs = options.verbs;
    this.#onLearned = options.onLearned;
    this.#logger = options.settings.logger.child({ device: options.port.device, port: options.port.port });
    const { saObserver } = options;
    this.#client = this.#openSa(saObserver);
    this.sa = {
      query: (query) =>
        (this.#client ?? this.#reopened(saObserver))?.query(query) ??
        Promise.reject(this.#saFailure ?? this.#saClosed()),
    };
    this.#notices = options.settings.notices ? this.#openNotices(options) : undefined;
  }

  get port(): Port {
    return this.#port;
  }

  get #saLoss(): string {
    return `SA of ${portText(this.#port)}`;
  }

  get noticeState(): NoticeState {
    return this.#notices?.state ?? "off";
  }

  /** `undefined` where the SA cannot be asked at all. */
  saStats(): SaClientStats | undefined {
    return this.#client?.stats();
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

  /** The port's new snapshot; the endpoints stay, the providers are told. */
  renew(port: Port, signal: PortSignalType, raw: unknown): void {
    const isNew = port.generation !== this.#port.generation;
    this.#port = port;
    if (isNew) {
      this.#client?.update(port);
      for (const endpoint of this.endpoints) endpoint.renew(port);
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
   * Something may have changed that nobody here has heard of: the providers forget what they keep, before this returns. The files are not
   * the SA's and stay.
   */
  missNotices(): void {
    this.#tellAtOnce({ type: "flush", port: this.#port });
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
    this.#losses.forget(this.#saLoss);
    // Nobody wants to know any more. However small the window is, the providers' last words need not wait for a slow answer.
    this.#client?.giveUp();
    const farewell = this.#notices?.close(isPortActive);
    await Promise.all(this.endpoints.map((endpoint) => this.#closeSessions(endpoint)));
    await farewell;
    await this.#client?.close();
    await Promise.all(this.#work);
    for (const [name, opening] of this.#sessions) {
      const session = await opening;
      if (session !== undefined) await this.#dispose(name, "closing the port", session);
    }
  }

  /** What made the port or its agent fail may pass: who asks later finds the way open. */
  #reopened(observer: SaObserver): SaClient | undefined {
    if (this.#isEnded() || this.#settings.clock.now() < this.#reopenAt) return undefined;
    this.#client = this.#openSa(observer);
    if (this.#client !== undefined) this.#losses.forget(this.#saLoss);
    return this.#client;
  }

  #openNotices({ settings, losses, port, onNotices, onNoticesMissed }: PortRuntimeOptions): PortNotices {
    const { clock, random, metrics, native } = settings;
    return new PortNotices({
      umad: native.umad,
      sa: this.sa,
      tell: (query) => this.#client?.tell(query),
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

  #openSa(observer: SaObserver): SaClient | undefined {
    const settings = this.#settings;
    try {
      const client: SaClient = new SaClient({
        umad: settings.native.umad,
        port: this.#port,
        clock: settings.clock,
        random: settings.random,
        logger: this.#logger,
        metrics: settings.metrics,
        timeoutMs: settings.timeoutMs,
        retries: settings.retries,
        window: settings.saWindow?.() ?? adaptiveWindow(settings.saDepth),
        observer,
        counts: settings.accounts.sa.of(portText(this.#port)),
        breaker: new SaBreaker({
          after: settings.saBreakerAfter,
          pauseMs: settings.saBreakerPauseMs,
          random: settings.random,
        }),
        onBroken: (cause) => {
          if (this.#client !== client || this.#isEnded()) return;
          this.#client = undefined;
          void this.#track(client.close());
          this.#loseSa(cause);
        },
      });
      return client;
    } catch (error) {
      this.#loseSa(error);
      return undefined;
    }
  }

  #loseSa(cause: unknown): void {
    this.#reopenAt = this.#settings.clock.now() + REOPEN_SA_MS;
    this.#losses.lose(this.#saLoss, `the subnet administrator of ${portText(this.#port)}: names and paths`, cause);
    this.#saFailure = this.#saClosed(cause);
  }

  #saClosed(cause?: unknown): Error {
    return coreError("VERBENA_SA_CLOSED", { details: { port: portText(this.#port) }, cause });
  }

  async #openPort(
    name: string,
    provider: ResolutionProvider,
    ready: Promise<unknown>,
  ): Promise<PortSession | undefined> {
    await ready;
    if (this.#ended.signal.aborted) return undefined;
    const logger = this.#logger.child({ provider: name });
    const services = { sa: this.sa, umad: this.#settings.native.umad, logger };
    const session = await callProvider(this.#settings, name, "opening the port", () =>
      provider.openPort(this.#port, this.#verbs === undefined ? services : { ...services, verbs: this.#verbs }),
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

function portText({ device, port }: Port): string {
  return `${device}/${port}`;
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

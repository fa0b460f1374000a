import { coreError } from "../errors.js";
import type { LossBook } from "../losses/loss-book.js";
import { SaBreaker } from "../sa-client/sa-breaker.js";
import { SaClient } from "../sa-client/sa-client.js";
import type { SaClientStats, SaObserver } from "../sa-client/sa-client-options.js";
import { adaptiveWindow } from "../sa-client/sa-window.js";
import type { Port } from "../sdk/endpoint.js";
import type { Logger, SaQuery, SaResponse, SaService } from "../sdk/services.js";
import type { EngineSettings } from "./options.js";

export interface PortSaOptions {
  readonly settings: EngineSettings;
  readonly losses: LossBook;
  readonly port: Port;
  /** The port's: its fields name device and port. */
  readonly logger: Logger;
  readonly observer: SaObserver;
}

/** How long a port whose way to the SA could not be opened, or broke, is left alone before a question tries again, milliseconds. */
const REOPEN_MS = 1_000;

/** An open port's way to its SA. One that could not be opened, or broke, is a lost function until a later question opens it. */
export class PortSa implements SaService {
  readonly #options: PortSaOptions;
  readonly #name: string;
  #port: Port;
  /** `undefined` while there is no way; then why. */
  #client: SaClient | undefined;
  #failure: Error | undefined;
  /** When opening it is tried again, on the clock. */
  #reopenAt = 0;
  #isEnded = false;
  readonly #closing = new Set<Promise<void>>();

  constructor(options: PortSaOptions) {
    this.#options = options;
    this.#port = options.port;
    this.#name = `${options.port.device}/${String(options.port.port)}`;
    this.#client = this.#open();
  }

  query(query: SaQuery): Promise<SaResponse> {
    const client = this.#client ?? this.#reopened();
    return client?.query(query) ?? Promise.reject(this.#failure ?? this.#closed());
  }

  /** Says something at once and waits for no answer. */
  tell(query: SaQuery): void {
    this.#client?.tell(query);
  }

  /** The port's new snapshot. */
  update(port: Port): void {
    this.#port = port;
    this.#client?.update(port);
  }

  /** `undefined` where the SA cannot be asked at all. */
  stats(): SaClientStats | undefined {
    return this.#client?.stats();
  }

  /** Nobody wants to know any more what has been asked so far; a way that is lost stays lost, and is missed no more. */
  end(): void {
    this.#isEnded = true;
    this.#options.losses.forget(this.#loss);
    this.#client?.giveUp();
  }

  /** Ends it and gives the agent back. */
  async close(): Promise<void> {
    this.end();
    await this.#client?.close();
    await Promise.all(this.#closing);
  }

  get #loss(): string {
    return `SA of ${this.#name}`;
  }

  /** What made the port or its agent fail may pass: who asks later finds the way open. */
  #reopened(): SaClient | undefined {
    const { settings, losses } = this.#options;
    if (this.#isEnded || settings.clock.now() < this.#reopenAt) return undefined;
    this.#client = this.#open();
    if (this.#client !== undefined) losses.regain(this.#loss);
    return this.#client;
  }

  #open(): SaClient | undefined {
    const { settings, logger, observer } = this.#options;
    const { clock, random, metrics, timeoutMs, retries } = settings;
    try {
      const client: SaClient = new SaClient({
        umad: settings.native.umad,
        port: this.#port,
        clock,
        random,
        logger,
        metrics,
        timeoutMs,
        retries,
        window: settings.saWindow?.() ?? adaptiveWindow(settings.saDepth),
        observer,
        counts: settings.accounts.sa.of(this.#name),
        breaker: new SaBreaker({ after: settings.saBreakerAfter, pauseMs: settings.saBreakerPauseMs, random }),
        onBroken: (cause) => {
          if (this.#client === client && !this.#isEnded) this.#leave(client, cause);
        },
      });
      return client;
    } catch (error) {
      this.#lose(error);
      return undefined;
    }
  }

  #leave(client: SaClient, cause: unknown): void {
    this.#client = undefined;
    const closing = client.close();
    this.#closing.add(closing);
    const done = (): void => {
      this.#closing.delete(closing);
    };
    closing.then(done, done);
    this.#lose(cause);
  }

  #lose(cause: unknown): void {
    const { settings, losses } = this.#options;
    this.#reopenAt = settings.clock.now() + REOPEN_MS;
    losses.lose(this.#loss, `the subnet administrator of ${this.#name}: names and paths`, cause);
    this.#failure = this.#closed(cause);
  }

  #closed(cause?: unknown): Error {
    return coreError("VERBENA_SA_CLOSED", { details: { port: this.#name }, cause });
  }
}

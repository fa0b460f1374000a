import type { Endpoint, LocalAddress } from "@verbena/core/sdk";
import { Gid } from "@verbena/ib";
import { Registration, type RegistrationContext } from "./registration.js";
import { registryPkey } from "./registry-record.js";
import { serviceNameOf } from "./service-name.js";

/** How long the end of an endpoint waits for the SA, for each of its two questions. */
const GOODBYE_MS = 500;

/** How long the opening of an endpoint waits until its addresses are registered. */
const WELCOME_MS = 1_000;

/** Keeps the names and IPs of one endpoint registered. */
export class Registrar {
  readonly #endpoint: Endpoint;
  readonly #context: RegistrationContext;
  readonly #isPortActive: () => boolean;
  readonly #active = new Map<string, Registration>();
  /** Registrations being deleted: the same address registers again only after that. */
  readonly #leaving = new Map<string, Promise<void>>();
  /**
   * The first addresses are registered, or the SA has had its time. A daemon that is ready can be found; and an engine that takes another's
   * place has registered before the other one deletes what is its own.
   */
  readonly opened: Promise<void>;

  constructor(endpoint: Endpoint, context: RegistrationContext, isPortActive: () => boolean) {
    this.#endpoint = endpoint;
    this.#context = context;
    this.#isPortActive = isPortActive;
    this.opened = this.#within(WELCOME_MS, Promise.all(endpoint.addresses.map((address) => this.add(address))));
  }

  /** Resolves after the first try to register it. */
  async add(address: LocalAddress): Promise<void> {
    const { port, pkey } = this.#endpoint;
    const gid = port.gids[0] ?? Gid.zero;
    const serviceName = serviceNameOf(address);
    if (serviceName === undefined) {
      this.#context.logger.warn("an address is too long to be registered", { address: address.text });
      return;
    }
    if (this.#active.has(serviceName)) return;
    const registration = new Registration({ serviceName, gid, pkey: registryPkey(pkey) }, this.#context);
    this.#active.set(serviceName, registration);
    await this.#leaving.get(serviceName);
    if (this.#active.get(serviceName) === registration) await registration.start();
  }

  /** Resolves when it is deleted, or could not be. */
  remove(address: LocalAddress): Promise<void> {
    const serviceName = serviceNameOf(address);
    const registration = serviceName === undefined ? undefined : this.#active.get(serviceName);
    if (serviceName === undefined || registration === undefined) return Promise.resolve();
    this.#active.delete(serviceName);
    const before = this.#leaving.get(serviceName);
    const leaving = (before ?? Promise.resolve()).then(() => registration.withdraw());
    this.#leaving.set(serviceName, leaving);
    return leaving.then(() => {
      if (this.#leaving.get(serviceName) === leaving) this.#leaving.delete(serviceName);
    });
  }

  /** The SA may have forgotten everything, or be another one. */
  renewSoon(): void {
    for (const registration of this.#active.values()) registration.renewSoon();
  }

  /** Deletes everything, as long as the SA can be reached and answers soon. */
  async close(): Promise<void> {
    const registrations = [...this.#active.values()];
    this.#active.clear();
    if (this.#isPortActive()) await Promise.all(registrations.map((one) => one.withdraw(GOODBYE_MS)));
    else for (const registration of registrations) registration.stop();
  }

  #within(limitMs: number, work: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#context.clock.schedule(limitMs, resolve);
      void work.then(() => {
        cancel();
        resolve();
      });
    });
  }
}

import { hostname } from "node:os";
import type { NativeServices } from "@verbena/native";
import type { AddressLine } from "../config/addresses/address-list.js";
import type { AddressConfig } from "../config/daemon-config.js";
import type { EngineChange } from "../engine/contract.js";
import type { EngineHandle } from "../engine/engine.js";
import type { Logger } from "../sdk/services.js";
import { addressLines } from "./default-addresses.js";

type Engine = Pick<EngineHandle, "changes" | "setAddressFile">;

/**
 * The names of an engine's endpoints: those of the address file, or the default ones where there is none. The default ones are made of the
 * ports that there are, so they are made again when a port becomes active that has none, or when the host's own name has no port yet: a daemon may be
 * there before its adapter, or before the subnet manager.
 */
export class DefaultNames {
  readonly #native: NativeServices;
  readonly #logger: Logger;
  #lines: readonly AddressLine[] = [];
  #following = new AbortController();

  constructor(native: NativeServices, logger: Logger) {
    this.#native = native;
    this.#logger = logger;
  }

  /** The lines to begin with; from the next call on they are other ones. */
  async read(config: AddressConfig): Promise<readonly AddressLine[]> {
    this.close();
    this.#following = new AbortController();
    this.#lines = await addressLines(config, this.#native, this.#logger);
    return this.#lines;
  }

  /** Keeps the engine's names complete, if they are the default ones, until the next {@link DefaultNames.read} or the end. */
  follow(engine: Engine, config: AddressConfig): void {
    if (config.isFound) return;
    const { signal } = this.#following;
    const changes = engine.changes(signal);
    void this.#follow(changes, engine, config, signal);
  }

  close(): void {
    this.#following.abort();
  }

  async #follow(
    changes: AsyncIterable<EngineChange>,
    engine: Engine,
    config: AddressConfig,
    signal: AbortSignal,
  ): Promise<void> {
    // Ports may have come between the reading of the lines and the first change that is told.
    if (!this.#hasHost()) await this.#complete(engine, config, signal);
    for await (const change of changes) {
      if (change.type !== "port" || change.state !== "active") continue;
      const isNamed = this.#lines.some(({ device, port }) => device === change.device && port === change.port);
      if (!isNamed || !this.#hasHost()) await this.#complete(engine, config, signal);
    }
  }

  async #complete(engine: Engine, config: AddressConfig, signal: AbortSignal): Promise<void> {
    const lines = await addressLines(config, this.#native, this.#logger);
    if (signal.aborted || lines.length === 0) return;
    this.#lines = lines;
    engine.setAddressFile(lines);
  }

  #hasHost(): boolean {
    const host = hostname().split(".")[0];
    return this.#lines.some(({ text }) => text === host);
  }
}

/** A client that does not read. */
export interface StalledClient {
  /** Closes it at once. */
  destroy(reason: string): void;
}

/** Clients that do not read, longest first, and the bound on what the process holds for all of them. */
export class StalledClients {
  /** And the bytes each held when it stopped. */
  readonly #clients = new Map<StalledClient, number>();
  #bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** The client holds so much. Closes those that have stalled longest while all of them hold too much. */
  add(client: StalledClient, bytes: number): void {
    this.remove(client);
    this.#clients.set(client, bytes);
    this.#bytes += bytes;
    for (const oldest of this.#clients.keys()) {
      if (this.#bytes <= this.maxBytes) break;
      oldest.destroy("clients that do not read hold too much memory");
      this.remove(oldest);
    }
  }

  /** It reads again, or it has gone. */
  remove(client: StalledClient): void {
    this.#bytes -= this.#clients.get(client) ?? 0;
    this.#clients.delete(client);
  }
}

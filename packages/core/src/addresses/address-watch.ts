import type { AddressEvent, AddressSource, HostAddress } from "@verbena/native";
import type { LossBook } from "../losses/loss-book.js";
import type { AddressBook, AddressBookChange } from "./address-book.js";

export interface AddressWatchOptions {
  readonly source: AddressSource;
  readonly book: AddressBook;
  readonly losses: LossBook;
  readonly onChange: (change: AddressBookChange) => void;
}

/**
 * Carries the system's addresses into the address book. After a `reset` the old ones stay until the new listing is complete, then
 * only the difference counts: nothing is lost and found again because a message was missed.
 */
export class AddressWatch implements AsyncDisposable {
  readonly #options: AddressWatchOptions;
  readonly #done: Promise<void>;
  #isClosed = false;
  #listing: HostAddress[] | undefined;
  #markSynced: () => void = () => undefined;

  /** Resolves when the first listing is complete, or cannot be had. */
  readonly synced: Promise<void>;

  constructor(options: AddressWatchOptions) {
    this.#options = options;
    this.synced = new Promise((resolve) => {
      this.#markSynced = resolve;
    });
    this.#done = this.#run();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#options.source.close();
    await this.#done;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(): Promise<void> {
    const { source, losses } = this.#options;
    try {
      for await (const event of source.events()) this.#take(event);
      if (!this.#isClosed) losses.lose(ADDRESSES, FOLLOWING, "the source has ended");
    } catch (error) {
      losses.lose(ADDRESSES, FOLLOWING, error);
    } finally {
      this.#markSynced();
    }
  }

  #take(event: AddressEvent): void {
    const { book } = this.#options;
    switch (event.type) {
      case "added":
        if (this.#listing === undefined) this.#tell(book.addSystem(event.address));
        else this.#listing.push(event.address);
        return;
      case "removed":
        this.#listing = this.#listing?.filter((address) => !isSame(address, event.address));
        if (this.#listing === undefined) this.#tell(book.removeSystem(event.address));
        return;
      case "reset":
        this.#listing = [];
        return;
      case "synced":
        for (const change of this.#listing === undefined ? [] : book.replaceSystem(this.#listing)) this.#tell(change);
        this.#listing = undefined;
        book.markSynced();
        this.#markSynced();
        return;
      default:
        event satisfies never;
    }
  }

  #tell(change: AddressBookChange | undefined): void {
    if (change !== undefined) this.#options.onChange(change);
  }
}

/** Key of the loss, shared with who opens the source. */
export const ADDRESSES = "addresses";
const FOLLOWING = "IP addresses of this host as they come and go";

function isSame(a: HostAddress, b: HostAddress): boolean {
  return a.address === b.address && a.gid === b.gid && a.pkey === b.pkey;
}

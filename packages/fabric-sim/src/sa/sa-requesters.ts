import type { FabricPort } from "../fabric/port.js";

/** What one port has asked the SA, and how much of it at once. */
export interface SaRequester {
  /** `H1[1]`. */
  readonly end: string;
  /** Requests by attribute and method, `PathRecord Get`; repeats count. */
  readonly requests: Readonly<Record<string, number>>;
  /** Most requests that were here at the same time and waited for their answer; repeats of one do not count. */
  readonly peakOpen: number;
}

interface Book {
  readonly requests: Map<string, number>;
  /** Keys of the requests that wait for their answer. */
  readonly open: Set<string>;
  peakOpen: number;
}

/** Keeps account of the ports that ask. */
export class SaRequesters {
  readonly #books = new Map<FabricPort, Book>();

  /** A request that will be answered. `key` is the same for its repeats. */
  opened(port: FabricPort, what: string, key: string): void {
    let book = this.#books.get(port);
    if (book === undefined) {
      book = { requests: new Map(), open: new Set(), peakOpen: 0 };
      this.#books.set(port, book);
    }
    book.requests.set(what, (book.requests.get(what) ?? 0) + 1);
    book.open.add(key);
    book.peakOpen = Math.max(book.peakOpen, book.open.size);
  }

  /** The first packet of the answer leaves. */
  answered(port: FabricPort, key: string): void {
    this.#books.get(port)?.open.delete(key);
  }

  all(): readonly SaRequester[] {
    return [...this.#books].map(([{ name }, { requests, peakOpen }]) => ({
      end: name,
      requests: Object.fromEntries([...requests].sort(([a], [b]) => (a < b ? -1 : 1))),
      peakOpen,
    }));
  }
}

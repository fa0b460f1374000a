import type { SaNotice } from "../sdk/sa-notice.js";
import type { Clock } from "../sdk/services.js";

/** Shortest time between two batches, milliseconds. */
export const BATCH_MS = 50;
/** Longest, while notices keep coming. */
export const BATCH_CAP_MS = 1_000;
/** Different notices kept for a batch. Beyond, all is taken for changed. */
export const BATCH_LIMIT = 4_096;

export interface NoticeBatchesOptions {
  readonly clock: Clock;
  readonly onBatch: (notices: readonly SaNotice[]) => void;
  /** More than {@link BATCH_LIMIT} came at once. */
  readonly onFlood: () => void;
}

/**
 * Hands notices on at once, as long as they come singly. A storm is handed on in batches, each notice once per batch, and the longer it
 * lasts the fewer batches there are: what follows from notices costs a look through the caches, and perhaps queries.
 */
export class NoticeBatches {
  readonly #options: NoticeBatchesOptions;
  readonly #waiting = new Map<string, SaNotice>();
  #isFlooded = false;
  #pauseMs = BATCH_MS;
  #cancel: (() => void) | undefined;

  constructor(options: NoticeBatchesOptions) {
    this.#options = options;
  }

  add(notice: SaNotice): void {
    if (this.#cancel === undefined) {
      this.#options.onBatch([notice]);
      this.#pauseMs = BATCH_MS;
      this.#wait();
      return;
    }
    const key = keyOf(notice);
    // To the end: of two notices about one GID the later one is true.
    this.#waiting.delete(key);
    if (this.#waiting.size >= BATCH_LIMIT) this.#isFlooded = true;
    else this.#waiting.set(key, notice);
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#waiting.clear();
  }

  #wait(): void {
    this.#cancel = this.#options.clock.schedule(this.#pauseMs, () => {
      this.#cancel = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#waiting.size === 0) return;
    const notices = [...this.#waiting.values()];
    const isFlooded = this.#isFlooded;
    this.#waiting.clear();
    this.#isFlooded = false;
    this.#pauseMs = Math.min(BATCH_CAP_MS, this.#pauseMs * 2);
    this.#wait();
    if (isFlooded) this.#options.onFlood();
    else this.#options.onBatch(notices);
  }
}

function keyOf(notice: SaNotice): string {
  switch (notice.type) {
    case "gid-in":
    case "gid-out":
      return `${notice.type} ${notice.gid.toString(16)}`;
    case "group-created":
    case "group-deleted":
      return `${notice.type} ${notice.mgid.toString(16)}`;
    case "local-change":
      return `${notice.type} ${String(notice.lid)} ${notice.gid.toString(16)}`;
    case "unknown":
      return `${notice.type} ${String(notice.raw.trapNumber)}`;
    default:
      return notice satisfies never;
  }
}

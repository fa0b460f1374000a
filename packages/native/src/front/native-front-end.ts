import type { FrontEnd, FrontEndHits, FrontEndIo, FrontEndOptions } from "../api/front-end.js";
import type { FrontEndBinding, NativeBinding } from "../binding.js";
import { calling } from "../failure.js";
import { identityOf, readEvents } from "./event-batch.js";
import { ReplyBlock } from "./reply-block.js";

/** Numbers in one account, and in one client, of the addon's flat lists of hits. */
const ACCOUNT_WORDS = 2;
const CLIENT_WORDS = 5;

/** `FrontEnd` over the addon: packs replies, unpacks events. Failures are `VERBENA_NATIVE_SYSTEM` with errno and syscall. */
export class NativeFrontEnd implements FrontEnd {
  readonly #binding: FrontEndBinding;
  readonly #options: FrontEndOptions;
  readonly #onClose: (front: FrontEnd) => void;
  readonly io: FrontEndIo;
  readonly ringRefusal: FrontEnd["ringRefusal"];
  readonly #block = new ReplyBlock();
  #isInBatch = false;
  #isFlushDue = false;
  #isClosed = false;

  constructor(
    binding: Pick<NativeBinding, "openFrontEnd">,
    options: FrontEndOptions,
    onClose: (front: FrontEnd) => void,
  ) {
    const { io = "auto", maxClients, maxOpenRequests, maxUnsentBytes, tableBytes } = options;
    const limits = { io, maxClients, maxOpenRequests, maxUnsentBytes, tableBytes };
    this.#options = options;
    this.#onClose = onClose;
    this.#binding = calling("VERBENA_NATIVE_SYSTEM", { what: "cannot start the front end" }, () =>
      binding.openFrontEnd(limits, (batch) => {
        this.#onBatch(batch);
      }),
    );
    const chosen = this.#binding.io();
    this.io = chosen.io;
    this.ringRefusal = chosen.errno === 0 ? undefined : { errno: chosen.errno, syscall: chosen.syscall };
  }

  get clientCount(): number {
    return this.#binding.clientCount();
  }

  listenPath(path: string, backlog: number): void {
    this.#listen(path, () => {
      this.#binding.listenPath(path, backlog);
    });
  }

  listenTcp(host: string, port: number, backlog: number): number {
    return this.#listen(`${host}:${String(port)}`, () => this.#binding.listenTcp(host, port, backlog));
  }

  listenDescriptor(fd: number, backlog: number): void {
    this.#listen(`descriptor ${String(fd)}`, () => {
      this.#binding.listenDescriptor(fd, backlog);
    });
  }

  closeListeners(): void {
    this.#binding.closeListeners();
  }

  finish(): void {
    this.#binding.finish();
  }

  reply(client: number, request: Buffer, bytes: Buffer): void {
    if (this.#isClosed) return;
    if (!this.#block.add(client, request, bytes)) {
      this.#flush();
      this.#block.add(client, request, bytes);
    }
    // A client that does not read is to be known before it is handed more.
    if (this.#block.isFull) this.#flush();
    if (this.#isInBatch || this.#isFlushDue) return;
    this.#isFlushDue = true;
    // After all that is ready now: answers often come in crowds.
    process.nextTick(() => {
      this.#isFlushDue = false;
      this.#flush();
    });
  }

  closeClient(client: number): void {
    this.#flush();
    this.#binding.closeClient(client);
  }

  put(request: Buffer, reply: Buffer, ttlMs: number, account: number, tags: Uint32Array): void {
    this.#binding.put(request, reply, ttlMs, account, tags);
  }

  invalidate(tags: Uint32Array): void {
    this.#flush(); // what was answered before is older than what follows
    this.#binding.invalidate(tags);
  }

  clearTable(): void {
    this.#flush();
    this.#binding.clearTable();
  }

  takeHits(): FrontEndHits {
    const { accounts, clients } = this.#binding.takeHits();
    return {
      accounts: chunks(accounts, ACCOUNT_WORDS).map(([account = 0, count = 0]) => ({ account, count })),
      clients: chunks(clients, CLIENT_WORDS).map(([isUnix = 0, pid = -1, uid = -1, count = 0, idleMs = 0]) => ({
        ...identityOf(isUnix === 1, pid, uid),
        count,
        idleMs,
      })),
    };
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#flush();
      this.#isClosed = true;
      this.#binding.close();
      this.#onClose(this);
    }
    return Promise.resolve();
  }

  #onBatch(batch: Buffer): void {
    this.#isInBatch = true;
    try {
      this.#options.onEvents(readEvents(batch));
    } finally {
      this.#isInBatch = false;
      this.#flush();
    }
  }

  #flush(): void {
    if (this.#block.isEmpty || this.#isClosed) return;
    const stalled = this.#block.drain((bytes, size) => this.#binding.reply(bytes, size));
    for (const client of stalled ?? []) this.#options.onStalled(client);
  }

  #listen<T>(where: string, listen: () => T): T {
    return calling("VERBENA_NATIVE_SYSTEM", { what: `cannot listen on ${where}` }, listen);
  }
}

function chunks(flat: readonly number[], size: number): readonly (readonly number[])[] {
  return Array.from({ length: flat.length / size }, (_, i) => flat.slice(i * size, (i + 1) * size));
}

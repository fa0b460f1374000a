import type { KernelRdsService, KernelRdsSocket } from "../api/rds.js";
import type { NativeBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { errnoName, failure } from "../failure.js";
import { OpenKernelRdsSocket } from "./kernel-rds-socket.js";
import { ReceiveBlock } from "./receive-block.js";

const NOT_LOADED =
  "The kernel's module is not loaded and nothing loads it by itself: modprobe rds, and rds_tcp for TCP, as root. RDS in user space needs no module.";

/** `KernelRdsService` over the addon. Knows its sockets, and closes them with itself. */
export class OpenKernelRdsService implements KernelRdsService {
  readonly #sockets = new Set<KernelRdsSocket>();
  readonly #block = new ReceiveBlock();
  #isClosed = false;

  constructor(private readonly binding: Pick<NativeBinding, "openRds">) {}

  open(): KernelRdsSocket {
    if (this.#isClosed) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: "the native services" } });
    const socket = new OpenKernelRdsSocket(this.#openBinding(), this.#block, (closed) => {
      this.#sockets.delete(closed);
    });
    this.#sockets.add(socket);
    return socket;
  }

  /** Closes the sockets. Idempotent. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.close();
  }

  #openBinding(): ReturnType<NativeBinding["openRds"]> {
    try {
      return this.binding.openRds();
    } catch (cause) {
      const isMissing = errnoName(cause) === "EAFNOSUPPORT";
      throw failure("VERBENA_NATIVE_RDS", {}, cause, isMissing ? NOT_LOADED : undefined);
    }
  }
}

import type { AddressEvent, AddressSource, HostAddress } from "@verbena/native";
import { PushQueue } from "./push-queue.js";

/** The IPs of the fake host. What is there when a reader comes is listed first, then `synced`. */
export class FakeAddresses {
  readonly #present: HostAddress[] = [];
  readonly #readers = new Set<PushQueue<AddressEvent>>();

  /** The host gets an address; readers are told. */
  add(address: HostAddress): void {
    this.#present.push(address);
    this.#tell({ type: "added", address });
  }

  /** The host loses an address; readers are told. */
  remove(address: HostAddress): void {
    this.#present.splice(this.#present.indexOf(address), 1);
    this.#tell({ type: "removed", address });
  }

  /** As after a lost netlink message: everything is forgotten and listed again, `present` instead of what was there. */
  reset(present: readonly HostAddress[] = [...this.#present]): void {
    this.#present.splice(0, this.#present.length, ...present);
    this.#tell({ type: "reset" });
    for (const address of this.#present) this.#tell({ type: "added", address });
    this.#tell({ type: "synced" });
  }

  /** A reader of its own. */
  openSource(): AddressSource {
    const queue = new PushQueue<AddressEvent>();
    this.#readers.add(queue);
    for (const address of this.#present) queue.push({ type: "added", address });
    queue.push({ type: "synced" });
    const close = (): Promise<void> => {
      this.#readers.delete(queue);
      queue.end();
      return Promise.resolve();
    };
    return { events: () => queue, close, [Symbol.asyncDispose]: close };
  }

  #tell(event: AddressEvent): void {
    for (const reader of this.#readers) reader.push(event);
  }
}

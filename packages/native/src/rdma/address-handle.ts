import type { AddressHandle } from "../api/queue-pair.js";
import type { AddressHandleBinding } from "../binding.js";
import { type Child, Resource } from "./resource.js";

/** The way to a peer. */
export class OpenAddressHandle implements AddressHandle, Child {
  readonly kind = "address-handle";
  /** What work requests name it by. */
  readonly id: number;
  readonly #resource: Resource;

  constructor(
    private readonly binding: AddressHandleBinding,
    private readonly onClose: (handle: OpenAddressHandle) => void,
  ) {
    this.id = binding.id();
    this.#resource = new Resource(`address handle ${this.id}`);
  }

  close(): Promise<void> {
    return this.#resource.close(async () => {
      await this.binding.close();
      this.onClose(this);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

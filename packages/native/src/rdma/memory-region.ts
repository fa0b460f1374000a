import type { MemoryRegion, MemorySlice } from "../api/memory.js";
import type { MemoryRegionBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { optionError } from "./option-error.js";
import { type Child, Resource } from "./resource.js";

/** A memory region and the slices of it that are lent. */
export class OpenMemoryRegion implements MemoryRegion, Child {
  readonly kind = "memory-region";
  readonly bytes: Uint8Array;
  readonly length: number;
  readonly address: bigint;
  readonly lkey: number;
  readonly rkey: number;
  /** What work requests name it by. */
  readonly id: number;
  readonly #resource: Resource;
  #lent = 0;

  constructor(
    private readonly binding: MemoryRegionBinding,
    private readonly onClose: (region: OpenMemoryRegion) => void,
  ) {
    const { id, lkey, rkey, address } = binding.describe();
    this.bytes = binding.memory();
    this.length = this.bytes.length;
    this.id = id;
    this.lkey = lkey;
    this.rkey = rkey;
    this.address = address;
    this.#resource = new Resource(`memory region ${lkey}`);
  }

  slice(offset = 0, length = this.length - offset): MemorySlice {
    if (
      !Number.isInteger(offset) ||
      !Number.isInteger(length) ||
      offset < 0 ||
      length < 0 ||
      offset + length > this.length
    ) {
      throw optionError(`a slice of ${length} bytes at ${offset} is beyond a region of ${this.length}`);
    }
    return new LendableSlice(this, offset, length, this.bytes.subarray(offset, offset + length));
  }

  /** A request has begun (1) or ceased (-1) to use it. */
  lend(change: 1 | -1): void {
    this.#lent += change;
  }

  close(): Promise<void> {
    if (this.#lent > 0 && !this.#resource.isClosing) {
      const details = { what: this.#resource.what, count: this.#lent };
      return Promise.reject(nativeError("VERBENA_NATIVE_LENT", { details }));
    }
    return this.#resource.close(async () => {
      await this.binding.close();
      this.onClose(this);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** A slice that knows who uses it. */
export class LendableSlice implements MemorySlice {
  #users = 0;

  constructor(
    readonly region: OpenMemoryRegion,
    readonly offset: number,
    readonly length: number,
    readonly bytes: Uint8Array,
  ) {}

  get isLent(): boolean {
    return this.#users > 0;
  }

  lend(): void {
    this.#users++;
    this.region.lend(1);
  }

  giveBack(): void {
    this.#users--;
    this.region.lend(-1);
  }
}

import type { DatagramAddress } from "@verbena/core/sdk";

const MASK = (1n << 64n) - 1n;

/** The bit of a port in masks of congestion: port mod 64. */
const bitOf = (port: number): bigint => 1n << BigInt(port % 64);

/**
 * What a socket of the kernel remembers about congested ports. The kernel's own monitoring knows no mask: it tells of ports that refused a
 * message of this socket, once each, and by TCP of all of them whenever any map of any peer has come. The mask that a program
 * sets is applied here, to what the kernel tells.
 */
export class CongestionMonitor {
  /** Bits of the ports that have refused a message and of which the kernel has not told yet. */
  #refused = 0n;
  #mask: bigint | undefined;
  #fillsItself = false;
  #pending = 0n;

  /** The kernel will tell. */
  get isWaiting(): boolean {
    return this.#refused !== 0n;
  }

  /** What the program is to be told. */
  get hasPending(): boolean {
    return this.#pending !== 0n;
  }

  /** `undefined`: off. */
  get mask(): bigint | undefined {
    return this.#mask;
  }

  /** As `SocketBackend.monitorCongestion`. */
  set(mask: bigint | "refused" | undefined): void {
    this.#fillsItself = mask === "refused";
    this.#mask = mask === "refused" ? 0n : mask === undefined ? undefined : mask & MASK;
    if (mask === undefined) this.#pending = 0n;
  }

  /** A message to this port was refused with ENOBUFS. */
  refused({ port }: DatagramAddress): void {
    this.#refused |= bitOf(port);
    if (this.#fillsItself && this.#mask !== undefined) this.#mask |= bitOf(port);
  }

  /** The kernel has told of these ports; `undefined`: of some, and left out which. */
  told(ports: bigint | undefined): void {
    const told = ports ?? this.#refused;
    this.#refused &= ~told;
    if (this.#mask === undefined) return;
    this.#pending |= told & this.#mask;
    if (this.#fillsItself) this.#mask &= ~told;
  }

  /** What the program is to be told, once. */
  takePending(): bigint {
    const ports = this.#pending;
    this.#pending = 0n;
    return ports;
  }
}

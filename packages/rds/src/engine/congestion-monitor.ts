import type { CongestionUpdate } from "@verbena/core/sdk";

/** Bits of a mask of ports. */
export const CONGESTION_MONITOR_SIZE = 64;

/** The bit of a port. */
export const congestionBit = (port: number): number => port % CONGESTION_MONITOR_SIZE;

/** The mask of a port: the one bit that stands for it, and for every 64th other. */
export const congestionMask = (port: number): bigint => 1n << BigInt(congestionBit(port));

/** The masks of all ports together. */
export const ALL_PORTS = (1n << BigInt(CONGESTION_MONITOR_SIZE)) - 1n;

/** What one socket wants to hear about ports that may be sent to again, and has not heard yet. */
export class CongestionMonitor {
  #mode: "off" | "refused" | "mask" = "off";
  #mask = 0n;
  #pending = 0n;

  /** See `SocketBackend.monitorCongestion`. */
  set(mask: bigint | "refused" | undefined): void {
    this.#mode = mask === undefined ? "off" : mask === "refused" ? "refused" : "mask";
    this.#mask = typeof mask === "bigint" ? BigInt.asUintN(CONGESTION_MONITOR_SIZE, mask) : 0n;
    if (this.#mode === "off") this.#pending = 0n;
  }

  get mask(): bigint | undefined {
    return this.#mode === "off" ? undefined : this.#mask;
  }

  get hasPending(): boolean {
    return this.#pending !== 0n;
  }

  /** A send was refused for congestion. */
  refused(port: number): void {
    if (this.#mode === "refused") this.#mask |= congestionMask(port);
  }

  /** Ports of a map have become free, folded to 64 bits. True if the socket wants to know. */
  freed(ports: bigint): boolean {
    const wanted = this.#mask & ports;
    if (wanted === 0n) return false;
    this.#pending |= wanted;
    if (this.#mode === "refused") this.#mask &= ~wanted;
    return true;
  }

  take(): CongestionUpdate | undefined {
    if (this.#pending === 0n) return undefined;
    const ports = this.#pending;
    this.#pending = 0n;
    return { type: "congestion", ports };
  }
}

import { encodeHeader } from "./header.js";
import { HEADER_SIZE, HeaderFlag, HeaderOffset } from "./header-layout.js";

/** Bytes of a congestion map: one bit per port. */
export const CONGESTION_MAP_SIZE = 8192;

/** Ports of pings and probes, which are of the address, and of no socket. */
const PROTOCOL_PORTS = 2;

/** Which ports of an address are congested. Bit `port & 7` of byte `port >> 3`. */
export class CongestionMap {
  /** All ports of sockets are congested, whatever their bits say. */
  isFull = false;
  readonly #bits = Buffer.alloc(CONGESTION_MAP_SIZE);

  has(port: number): boolean {
    return (this.isFull && port >= PROTOCOL_PORTS) || this.#hasBit(port);
  }

  /** Sets or clears the bit of a port; false if it stood so already. */
  set(port: number, isCongested: boolean): boolean {
    if (this.#hasBit(port) === isCongested) return false;
    this.#bits[port >> 3] = (this.#bits[port >> 3] ?? 0) ^ (1 << (port & 7));
    return true;
  }

  /** Takes over another map's 8192 bytes. Gives the ports that are congested no more, folded to 64 bits: bit port mod 64. */
  replace(bits: Uint8Array): bigint {
    let low = 0;
    let high = 0;
    // 64 ports are 8 bytes: those of an odd word are the upper half.
    for (let at = 0; at < CONGESTION_MAP_SIZE; at += 1) {
      const before = this.#bits[at] ?? 0;
      const now = bits[at] ?? 0;
      if (before === now) continue;
      const freed = before & ~now;
      if ((at & 4) === 0) low |= freed << ((at & 3) * 8);
      else high |= freed << ((at & 3) * 8);
      this.#bits[at] = now;
    }
    return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  }

  /** The frame that tells a peer of this map as it stands: header and map, 8240 bytes. */
  frame(): Buffer {
    const frame = Buffer.allocUnsafe(HEADER_SIZE + CONGESTION_MAP_SIZE);
    encodeHeader(frame, 0, {
      sequence: 0,
      length: CONGESTION_MAP_SIZE,
      sourcePort: 0,
      destinationPort: 0,
      flags: HeaderFlag.congestionMap,
    });
    if (this.isFull) frame.fill(0xff, HEADER_SIZE).writeUInt8(0xff & (-1 << PROTOCOL_PORTS), HEADER_SIZE);
    else this.#bits.copy(frame, HEADER_SIZE);
    return frame;
  }

  #hasBit(port: number): boolean {
    return ((this.#bits[port >> 3] ?? 0) & (1 << (port & 7))) !== 0;
  }
}

/** Whether a header announces a congestion map: only if no other flag is set. */
export function isCongestionMap(header: Buffer, at: number): boolean {
  return header[at + HeaderOffset.flags] === HeaderFlag.congestionMap;
}

import { IpAddress } from "@verbena/ib";
import type { KernelRdsAddress } from "../api/rds.js";
import { readHost16, readHost32, writeHost16, writeHost32 } from "../host-order.js";

/** Address families of Linux, and the bytes of their `sockaddr`. */
const [AF_INET, AF_INET6] = [2, 10];
const [INET_SIZE, INET6_SIZE] = [16, 28];

/** `sockaddr_in`, 16 bytes, or `sockaddr_in6`, 28: the kernel tells them apart by their length as well. */
export function encodeSocketAddress({ address, port, scopeId = 0 }: KernelRdsAddress): Buffer {
  const bytes = IpAddress.bytes(address);
  const isV4 = bytes.length === 4;
  const out = Buffer.alloc(isV4 ? INET_SIZE : INET6_SIZE);
  writeHost16(out, 0, isV4 ? AF_INET : AF_INET6);
  out.writeUInt16BE(port, 2);
  bytes.copy(out, isV4 ? 4 : 8);
  if (!isV4) writeHost32(out, 24, scopeId);
  return out;
}

/** `undefined` for no address (nothing, or family 0) and for one of another family. */
export function decodeSocketAddress(bytes: Buffer): KernelRdsAddress | undefined {
  const family = bytes.length < 2 ? 0 : readHost16(bytes, 0);
  if (family === AF_INET && bytes.length >= INET_SIZE) {
    return { address: IpAddress.fromBytes(bytes.subarray(4, 8)), port: bytes.readUInt16BE(2) };
  }
  if (family !== AF_INET6 || bytes.length < INET6_SIZE) return undefined;
  const scopeId = readHost32(bytes, 24);
  const address = IpAddress.fromBytes(bytes.subarray(8, 24));
  return { address, port: bytes.readUInt16BE(2), ...(scopeId === 0 ? {} : { scopeId }) };
}

/** Most entries of a cache below; one with more is begun anew. */
const CACHE_ENTRIES = 1024;

/** Addresses of the peers of one socket in both forms, so that a message costs no parsing. */
export class SocketAddresses {
  readonly #encoded = new Map<string, Buffer>();
  readonly #decoded = new Map<string, KernelRdsAddress | undefined>();
  /** Most messages go where the one before went. */
  #last: { readonly to: KernelRdsAddress; readonly encoded: Buffer } | undefined;

  /** As {@link encodeSocketAddress}. The bytes are not to be changed. */
  encode(to: KernelRdsAddress): Buffer {
    const last = this.#last;
    if (last?.to.port === to.port && last.to.address === to.address && last.to.scopeId === to.scopeId) {
      return last.encoded;
    }
    const key = `${to.address} ${to.port} ${to.scopeId ?? 0}`;
    const encoded = cached(this.#encoded, key, () => encodeSocketAddress(to));
    this.#last = { to: { ...to }, encoded };
    return encoded;
  }

  /** As {@link decodeSocketAddress}. */
  decode(bytes: Buffer): KernelRdsAddress | undefined {
    return cached(this.#decoded, bytes.toString("latin1"), () => decodeSocketAddress(bytes));
  }
}

function cached<T>(cache: Map<string, T>, key: string, make: () => T): T {
  const found = cache.get(key);
  if (found !== undefined) return found;
  if (cache.size >= CACHE_ENTRIES) cache.clear();
  const made = make();
  cache.set(key, made);
  return made;
}

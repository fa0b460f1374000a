import { malformed } from "../wire/check.js";
import { putU8, putU24, putU32, putU64 } from "../wire/put.js";

/** Bytes of the datagram extended transport header. */
export const DETH_SIZE = 8;

/** Datagram extended transport header (IBA 9.3.2), present in UD packets. */
export interface Deth {
  /** 32 bits; must be the receiver's. */
  readonly qkey: number;
  /** 24 bits. */
  readonly srcQpn: number;
}

/** RDMA extended transport header (IBA 9.3.3): what a write or a read is about. */
export interface Reth {
  /** 64 bits, in the responder's memory. */
  readonly address: bigint;
  /** 32 bits. */
  readonly rkey: number;
  /** Bytes, 32 bits. */
  readonly dmaLength: number;
}

/** Atomic extended transport header (IBA 9.3.5). */
export interface AtomicEth {
  /** 64 bits, in the responder's memory. */
  readonly address: bigint;
  /** 32 bits. */
  readonly rkey: number;
  /** 64 bits: what is added, or what takes the place of the compared value. */
  readonly swapAdd: bigint;
  /** 64 bits; 0 of an addition. */
  readonly compare: bigint;
}

/** Acknowledge extended transport header (IBA 9.3.6, 9.7.5.2). */
export interface Aeth {
  /** 8 bits: kind and detail; see {@link aethSyndromeName}. */
  readonly syndrome: number;
  /** 24 bits: messages the responder has done. */
  readonly msn: number;
}

/** Headers between the BTH and the payload. Which there are follows from the opcode. */
export interface ExtendedHeaders {
  readonly deth?: Deth;
  readonly reth?: Reth;
  readonly atomicEth?: AtomicEth;
  readonly aeth?: Aeth;
  /** AtomicAckETH: 64 bits, what was there before. */
  readonly atomicAck?: bigint;
  /** ImmDt: 32 bits. */
  readonly immediate?: number;
}

type Name = keyof ExtendedHeaders;

interface Codec {
  readonly size: number;
  /** Writes its own of the headers, which is there. */
  readonly write: (buf: Buffer, at: number, headers: ExtendedHeaders) => void;
  readonly read: (buf: Buffer, at: number) => ExtendedHeaders;
}

/** In the order in which they stand in a packet. */
const HEADERS: Readonly<Record<Name, Codec>> = {
  deth: {
    size: DETH_SIZE,
    write: (buf, at, { deth }) => {
      if (deth === undefined) return;
      putU32(buf, at, deth.qkey, "Deth.qkey");
      putU24(buf, at + 5, deth.srcQpn, "Deth.srcQpn");
    },
    read: (buf, at) => ({ deth: { qkey: buf.readUInt32BE(at), srcQpn: buf.readUIntBE(at + 5, 3) } }),
  },
  reth: {
    size: 16,
    write: (buf, at, { reth }) => {
      if (reth === undefined) return;
      putU64(buf, at, reth.address, "Reth.address");
      putU32(buf, at + 8, reth.rkey, "Reth.rkey");
      putU32(buf, at + 12, reth.dmaLength, "Reth.dmaLength");
    },
    read: (buf, at) => ({
      reth: {
        address: buf.readBigUInt64BE(at),
        rkey: buf.readUInt32BE(at + 8),
        dmaLength: buf.readUInt32BE(at + 12),
      },
    }),
  },
  atomicEth: {
    size: 28,
    write: (buf, at, { atomicEth }) => {
      if (atomicEth === undefined) return;
      putU64(buf, at, atomicEth.address, "AtomicEth.address");
      putU32(buf, at + 8, atomicEth.rkey, "AtomicEth.rkey");
      putU64(buf, at + 12, atomicEth.swapAdd, "AtomicEth.swapAdd");
      putU64(buf, at + 20, atomicEth.compare, "AtomicEth.compare");
    },
    read: (buf, at) => ({
      atomicEth: {
        address: buf.readBigUInt64BE(at),
        rkey: buf.readUInt32BE(at + 8),
        swapAdd: buf.readBigUInt64BE(at + 12),
        compare: buf.readBigUInt64BE(at + 20),
      },
    }),
  },
  aeth: {
    size: 4,
    write: (buf, at, { aeth }) => {
      if (aeth === undefined) return;
      putU8(buf, at, aeth.syndrome, "Aeth.syndrome");
      putU24(buf, at + 1, aeth.msn, "Aeth.msn");
    },
    read: (buf, at) => ({ aeth: { syndrome: buf.readUInt8(at), msn: buf.readUIntBE(at + 1, 3) } }),
  },
  atomicAck: {
    size: 8,
    write: (buf, at, { atomicAck }) => {
      if (atomicAck !== undefined) putU64(buf, at, atomicAck, "IbPacket.atomicAck");
    },
    read: (buf, at) => ({ atomicAck: buf.readBigUInt64BE(at) }),
  },
  immediate: {
    size: 4,
    write: (buf, at, { immediate }) => {
      if (immediate !== undefined) putU32(buf, at, immediate, "IbPacket.immediate");
    },
    read: (buf, at) => ({ immediate: buf.readUInt32BE(at) }),
  },
};

/** The names of all, in the order in which they stand in a packet. */
export const EXTENDED_HEADER_NAMES = Object.keys(HEADERS) as readonly Name[];

/** Bytes of some of them. */
export function extendedSize(names: readonly Name[]): number {
  return names.reduce((size, name) => size + HEADERS[name].size, 0);
}

/** Writes the headers with these names, which are all there, at `offset`. */
export function writeExtended(buf: Buffer, offset: number, names: readonly Name[], headers: ExtendedHeaders): void {
  let at = offset;
  for (const name of names) {
    HEADERS[name].write(buf, at, headers);
    at += HEADERS[name].size;
  }
}

/** Reads the headers with these names at `offset`. Throws `VERBENA_IB_MALFORMED` where `buf` is too short. */
export function readExtended(buf: Buffer, offset: number, names: readonly Name[]): ExtendedHeaders {
  const needed = offset + extendedSize(names);
  if (buf.length < needed) throw malformed("IbPacket", `${needed} bytes of headers`, `${buf.length} bytes`);
  let headers: ExtendedHeaders = {};
  let at = offset;
  for (const name of names) {
    headers = { ...headers, ...HEADERS[name].read(buf, at) };
    at += HEADERS[name].size;
  }
  return headers;
}

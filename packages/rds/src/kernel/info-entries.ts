import type {
  ConnectionInfo,
  DatagramAddress,
  QueuedMessageInfo,
  SocketInfo,
  TcpSocketInfo,
  TransportCounter,
} from "@verbena/core/sdk";
import { IpAddress } from "@verbena/ib";
import { readHost32, readHost64 } from "./host-order.js";

// Entries of the lists of RDS_INFO_*, packed. Counters and sequence numbers are in host order, addresses and ports in network order. The
// IPv6 forms are the others with longer addresses, where an IPv4 one is mapped, and partly without the type of service.

/** Bytes of an address: 4, or 16 in the IPv6 form of a list. */
export type AddressSize = 4 | 16;

const MAPPED = Buffer.from("00000000000000000000ffff", "hex");
const FLAG = { sending: 1, connecting: 2, connected: 4 } as const;

/** Bytes of an entry for addresses of 4 and of 16 bytes. */
export const ENTRY_SIZES = {
  counters: { 4: 40, 16: 40 },
  connections: { 4: 42, 16: 65 },
  messages: { 4: 26, 16: 50 },
  sockets: { 4: 28, 16: 52 },
  tcpSockets: { 4: 41, 16: 64 },
} as const;

function addressAt(entry: Buffer, at: number, size: AddressSize): IpAddress {
  const bytes = entry.subarray(at, at + size);
  return IpAddress.fromBytes(size === 16 && bytes.subarray(0, 12).equals(MAPPED) ? bytes.subarray(12) : bytes);
}

const portAt = (entry: Buffer, at: number): number => entry.readUInt16BE(at);

function textAt(entry: Buffer, at: number, size: number): string {
  const bytes = entry.subarray(at, at + size);
  const end = bytes.indexOf(0);
  return bytes.toString("latin1", 0, end < 0 ? size : end);
}

/** `rds_info_counter`. */
export function readCounter(entry: Buffer): TransportCounter {
  return { name: textAt(entry, 0, 32), value: readHost64(entry, 32) };
}

/** `rds_info_connection`, `rds6_info_connection`. */
export function readConnection(entry: Buffer, size: AddressSize): ConnectionInfo {
  const at = 16 + 2 * size;
  const flags = entry.readUInt8(at + 16);
  return {
    local: addressAt(entry, 16, size),
    remote: addressAt(entry, 16 + size, size),
    transport: textAt(entry, at, 16),
    nextTx: readHost64(entry, 0),
    nextRx: readHost64(entry, 8),
    isSending: (flags & FLAG.sending) !== 0,
    isConnecting: (flags & FLAG.connecting) !== 0,
    isConnected: (flags & FLAG.connected) !== 0,
    tos: size === 4 ? entry.readUInt8(at + 17) : 0,
  };
}

/** `rds_info_message`, `rds6_info_message`: the same for all three queues. */
export function readQueuedMessage(entry: Buffer, size: AddressSize): QueuedMessageInfo {
  const at = 12 + 2 * size;
  const end = (address: number, port: number): DatagramAddress => ({
    address: addressAt(entry, address, size),
    port: portAt(entry, port),
    scopeId: 0,
  });
  return {
    sequence: readHost64(entry, 0),
    length: readHost32(entry, 8),
    local: end(12, at),
    remote: end(12 + size, at + 2),
    tos: entry.readUInt8(at + 5),
  };
}

/** `rds_info_socket`, `rds6_info_socket`. */
export function readSocket(entry: Buffer, size: AddressSize): SocketInfo {
  const at = 4 + 2 * size;
  const connectedPort = portAt(entry, at + 2);
  const connected = addressAt(entry, 4 + size, size);
  const hasPeer = connectedPort !== 0 || IpAddress.bytes(connected).some((byte) => byte !== 0);
  return {
    sendBufferSize: readHost32(entry, 0),
    receiveBufferSize: readHost32(entry, at + 4),
    bound: { address: addressAt(entry, 4, size), port: portAt(entry, at), scopeId: 0 },
    connected: hasPeer ? { address: connected, port: connectedPort, scopeId: 0 } : undefined,
    inode: readHost64(entry, at + 8),
  };
}

/** `rds_info_tcp_socket`, `rds6_info_tcp_socket`. */
export function readTcpSocket(entry: Buffer, size: AddressSize): TcpSocketInfo {
  const remote = size + 2;
  const at = 2 * remote;
  return {
    local: addressAt(entry, 0, size),
    localPort: portAt(entry, size),
    remote: addressAt(entry, remote, size),
    remotePort: portAt(entry, remote + size),
    headerRemaining: readHost64(entry, at),
    dataRemaining: readHost64(entry, at + 8),
    lastSentNext: readHost32(entry, at + 16),
    lastExpectedUna: readHost32(entry, at + 20),
    lastSeenUna: readHost32(entry, at + 24),
    tos: size === 4 ? entry.readUInt8(at + 28) : 0,
  };
}

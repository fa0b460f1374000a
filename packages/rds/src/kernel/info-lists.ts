import { constants } from "node:os";
import type { KernelRdsSocket, TransportInfoLists } from "@verbena/core/sdk";
import {
  type AddressSize,
  ENTRY_SIZES,
  readConnection,
  readCounter,
  readQueuedMessage,
  readSocket,
  readTcpSocket,
} from "./info-entries.js";

type List = keyof TransportInfoLists;

/** Number of each list: the form of all addresses, and the one of IPv4 alone, which kernels without IPv6 have. */
const NUMBERS: Readonly<Record<List, { readonly all: number; readonly v4: number }>> = {
  counters: { all: 10_000, v4: 10_000 },
  connections: { all: 10_011, v4: 10_001 },
  sendQueue: { all: 10_012, v4: 10_003 },
  retransmitQueue: { all: 10_013, v4: 10_004 },
  receiveQueue: { all: 10_014, v4: 10_005 },
  sockets: { all: 10_015, v4: 10_006 },
  tcpSockets: { all: 10_016, v4: 10_007 },
};

interface Layout<Entry> {
  readonly sizes: Readonly<Record<AddressSize, number>>;
  readonly read: (entry: Buffer, size: AddressSize) => Entry;
}

const MESSAGES = { sizes: ENTRY_SIZES.messages, read: readQueuedMessage };
const LAYOUTS: { readonly [L in List]: Layout<TransportInfoLists[L][number]> } = {
  counters: { sizes: ENTRY_SIZES.counters, read: readCounter },
  connections: { sizes: ENTRY_SIZES.connections, read: readConnection },
  sendQueue: MESSAGES,
  retransmitQueue: MESSAGES,
  receiveQueue: MESSAGES,
  sockets: { sizes: ENTRY_SIZES.sockets, read: readSocket },
  tcpSockets: { sizes: ENTRY_SIZES.tcpSockets, read: readTcpSocket },
};

/** The entries in the bytes of a list; longer ones of a newer kernel are read as far as they are known. */
export function readList<L extends List>(
  list: L,
  bytes: Buffer,
  elementSize: number,
  size: AddressSize,
): TransportInfoLists[L] {
  const layout: Layout<TransportInfoLists[L][number]> = LAYOUTS[list];
  const step = Math.max(elementSize, layout.sizes[size]);
  const count = Math.floor(bytes.length / step);
  return Array.from({ length: count }, (_, i) =>
    layout.read(bytes.subarray(i * step, (i + 1) * step), size),
  ) as unknown as TransportInfoLists[L];
}

/** A list of the kernel. Empty where it has no such list, as one of TCP sockets without that transport. */
export function kernelList<L extends List>(socket: KernelRdsSocket, list: L): TransportInfoLists[L] {
  const { all, v4 } = NUMBERS[list];
  for (const [number, size] of [
    [all, 16],
    [v4, 4],
  ] as const) {
    try {
      const { bytes, elementSize } = socket.info(number);
      return readList(list, bytes, elementSize, size);
    } catch (cause) {
      if ((cause as { errno?: unknown }).errno !== constants.errno.ENOPROTOOPT) throw cause;
    }
  }
  return readList(list, Buffer.alloc(0), 0, 4);
}

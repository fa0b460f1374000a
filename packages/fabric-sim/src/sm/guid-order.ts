import type { Guid } from "@verbena/ib";

/**
 * Sorts as OpenSM does, which keeps its tables by GUID as a little-endian machine reads the bytes of the wire. That order decides
 * which port gets which LID and in which order records come, so answers of the two managers compare one to one.
 */
export function sortByGuid<T>(items: readonly T[], guidOf: (item: T) => Guid): T[] {
  const buffer = Buffer.alloc(8);
  const key = (item: T): bigint => {
    buffer.writeBigUInt64BE(guidOf(item));
    return buffer.readBigUInt64LE();
  };
  return items
    .map((item) => ({ item, key: key(item) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ item }) => item);
}

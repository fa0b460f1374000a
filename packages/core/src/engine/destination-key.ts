import type { Destination } from "../sdk/destination.js";

/** Cache key of a destination: kind and canonical value. Two spellings of one address have one key. */
export function destinationKey(destination: Destination): string {
  switch (destination.kind) {
    case "name":
      return `n${destination.name}`;
    case "ip":
      return `i${destination.address}`;
    case "gid":
      return `g${destination.gid.toString(16)}`;
    case "lid":
      return `l${destination.lid}`;
    default:
      return destination satisfies never;
  }
}

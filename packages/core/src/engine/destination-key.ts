import { Gid, Lid } from "@verbena/ib";
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

/** A GID as a destination. */
export function gidDestination(gid: Gid): Destination {
  return { kind: "gid", gid, text: Gid.format(gid) };
}

/** A LID as a destination. */
export function lidDestination(lid: Lid): Destination {
  return { kind: "lid", lid, text: Lid.format(lid) };
}

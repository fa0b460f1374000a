import { Gid, type IpAddress, Lid } from "@verbena/ib";

/**
 * What a client asks for. The canonical form is the cache key: names are compared without case (the spelling asked for stays in
 * `text`), addresses as values.
 */
export type Destination =
  | { readonly kind: "name" /** Lower case. */; readonly name: string; readonly text: string }
  | { readonly kind: "ip"; readonly address: IpAddress; readonly text: string }
  | { readonly kind: "gid"; readonly gid: Gid; readonly text: string }
  | { readonly kind: "lid"; readonly lid: Lid; readonly text: string };

/** Makes destinations in canonical form. `text` is the spelling to show; without it the value's own. */
export const Destination = {
  /** A host name; names are compared without case. */
  name: (text: string): Destination => ({ kind: "name", name: text.toLowerCase(), text }),
  /** An IPv4 or IPv6 address. */
  ip: (address: IpAddress, text: string = address): Destination => ({ kind: "ip", address, text }),
  /** A port by GID. */
  gid: (gid: Gid, text = Gid.format(gid)): Destination => ({ kind: "gid", gid, text }),
  /** A port by LID: the answer stays with this LID. */
  lid: (lid: Lid, text = Lid.format(lid)): Destination => ({ kind: "lid", lid, text }),
} as const;

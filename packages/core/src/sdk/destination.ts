import type { Gid, IpAddress, Lid } from "@verbena/ib";

/**
 * What a client asks for. The canonical form is the cache key: names are compared without case (the spelling asked for stays in
 * `text`), addresses as values.
 */
export type Destination =
  | { readonly kind: "name" /** Lower case. */; readonly name: string; readonly text: string }
  | { readonly kind: "ip"; readonly address: IpAddress; readonly text: string }
  | { readonly kind: "gid"; readonly gid: Gid; readonly text: string }
  | { readonly kind: "lid"; readonly lid: Lid; readonly text: string };

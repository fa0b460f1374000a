import type { Gid } from "@verbena/ib";

/** An address that two hosts claim. Who was `first` is used. */
export interface DuplicateAddress {
  /** As it is shown: a name, or an IP address. */
  readonly address: string;
  readonly first: Gid;
  readonly second: Gid;
  /** Since it was seen last, milliseconds. */
  readonly ageMs: number;
}

/** An address in answers, and in the stream of `addresses` with `watch` (then with `type` and `event`). */
export interface AddressMessage {
  readonly type: "address";
  readonly event: "add" | "del";
  /** Topology id of the node. */
  readonly node: string;
  /** Name of the HCA as a program on the asked node sees it: `sim0`, `sim1` … */
  readonly device: string;
  readonly port: number;
  readonly portGuid: string;
  readonly gid: string;
  readonly address: string;
  readonly prefixLength: number;
  readonly pkey: string;
}

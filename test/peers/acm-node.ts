import { type Run, run } from "./sim-programs.js";

/** Names and addresses of the host with this number: `peer3`, which no subnet administrator knows, 192.0.2.3, 2001:db8::3. */
export function addressesOf(n: number): readonly [name: string, ip4: string, ip6: string] {
  return [`peer${n}`, `192.0.2.${n}`, `2001:db8::${n}`];
}

/** The line of an address file for each, in the partition of all, wherever in its table the port has it. */
export function addressFile(addresses: readonly string[]): string {
  return addresses.map((address) => `${address} sim0 1 0xffff\n`).join("");
}

/** A host of the fabric with a service on it that `ib_acme` can ask, Debian's or ours. */
export interface AcmNode extends AsyncDisposable {
  /** Topology id. */
  readonly node: string;
  /** Path of the service's socket, as seen from here. */
  readonly socket: string;

  /** Ends it and starts another in its place; options and addresses as before unless given. */
  restarted(options?: {
    readonly options?: readonly string[];
    readonly addresses?: readonly string[];
  }): Promise<AcmNode>;
}

/** Asks the service of a host by Debian's `ib_acme`. */
export function acme({ socket }: AcmNode, ...words: readonly string[]): Promise<Run> {
  return run("ib_acme", ["-S", socket, ...words], {});
}

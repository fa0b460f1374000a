import type { IpAddress } from "@verbena/ib";

/** A carrier of datagrams (RDS). The first whose `claims` says yes to the local address serves a bind. */
export interface TransportProvider extends AsyncDisposable {
  /** Whether this transport serves the given local address. MUST NOT block. */
  claims(address: IpAddress): boolean;
}

/**
 * Why a packet ended before its destination.
 *
 * - `malformed`: no local route header, or a directed route that makes no sense
 * - `not-active`: a link on the way is not active, for a packet that is no subnet management
 * - `link-down`: the table, or a directed route, leads to a port without a link
 * - `no-route`: a switch has no entry for the LID, or no port of the multicast group
 * - `loop`: too many hops
 * - `wrong-port`: it came to a host that does not have the LID, or that would have to forward
 * - `fault`: lost by a fault that was set
 * - `pkey`: the P_Key is not of the port's partitions
 * - `no-agent`: it arrived, and nobody there takes such packets
 */
export type DropReason =
  | "malformed"
  | "not-active"
  | "link-down"
  | "no-route"
  | "loop"
  | "wrong-port"
  | "fault"
  | "pkey"
  | "no-agent";

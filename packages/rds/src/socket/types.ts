import type { ControlMessage, DatagramTransport } from "@verbena/core/sdk";
import type { RdsAddressInput } from "./ends.js";
import type { WaitOptions } from "./wait-list.js";

/** Payload of one message: in one piece, or in parts that are sent one behind the other. */
export type RdsPayload = Uint8Array | string;

/** How a socket begins. */
export interface RdsSocketOptions {
  /** Payload bytes, see {@link RdsSocket.sendBufferSize}. Default 106,496. */
  readonly sendBufferSize?: number;
  /** Payload bytes, see {@link RdsSocket.receiveBufferSize}. Default 106,496. */
  readonly receiveBufferSize?: number;
  /** How long a send waits for room, milliseconds; 0 (default): for ever. */
  readonly sendTimeoutMs?: number;
  /** How long a receive waits for a message, milliseconds; 0 (default): for ever. */
  readonly receiveTimeoutMs?: number;
  /** Received messages carry the time at which they were queued. Default: no. */
  readonly timestamps?: boolean;
  /** The only transport the socket may use, by name. Default: the first that claims the address it is bound to. */
  readonly transport?: DatagramTransport["name"];
}

/** How one message is sent. */
export interface RdsSendOptions extends WaitOptions {
  /** Where to; default: where the socket is connected to. */
  readonly to?: RdsAddressInput;
  readonly control?: readonly ControlMessage[];
}

/** How one message is received. */
export interface RdsReceiveOptions extends WaitOptions {
  /** Bytes wanted at most; the rest of a longer message is discarded. `length` tells how many there were. */
  readonly maxLength?: number;
  /**
   * Memory of the program's own that a message is copied into; `data` is the part of it that was filled, and what does not fit is discarded. The
   * memory that the message came in is used again at once then: with many or long messages the collector has far less to do.
   */
  readonly into?: Buffer;
  /** The message stays where it is. Congestion updates are taken all the same. */
  readonly peek?: boolean;
}

/** What a socket is ready for. */
export interface RdsReadiness {
  /** A message, or a congestion update, is there. */
  readonly readable: boolean;
  /** The send queue has room; a congested destination refuses all the same. */
  readonly writable: boolean;
  /** No congestion has refused a send, or a map has changed since one did: sends that were refused may be tried again. */
  readonly uncongested: boolean;
}

import type { ClientIdentity } from "../engine/contract.js";

/** A client of the socket server, as a handler sees it. */
export interface AcmClientHandle extends ClientIdentity {
  readonly kind: "unix" | "tcp";
  /** Aborted when the connection has gone. Made at first use: a request answered at once never pays for it. */
  readonly signal: AbortSignal;
}

/** Hands one reply to the connection. The bytes go out in one write and MUST NOT be changed afterwards. */
export type AcmReply = (bytes: Buffer) => void;

/**
 * Answers the messages of the ACM client protocol. The socket server knows the header and nothing else of the protocol, so any
 * front end that cuts a stream into messages can stand in its place.
 */
export interface AcmRequestHandler {
  /**
   * Called once for each whole message: right version, opcode 1–3 in the low four bits, length as in its header. MUST call
   * `reply` exactly once, at once or later; MUST NOT throw, reject or block. `request` stays valid and nobody writes into it.
   * Replies to a client that has gone are dropped.
   */
  handle(client: AcmClientHandle, request: Buffer, reply: AcmReply): void;
}

import type { LocalTransport, MessageTransport, TransportAddress } from "@verbena/core/sdk";
import { isLoopback } from "../engine/ip.js";

/**
 * Transport of 127/8 and ::1. Between addresses that are open the engine delivers by itself, at once; what is for any other address has no way
 * out, and is dropped as a message to an unbound port is.
 */
export class LoopTransport implements MessageTransport {
  readonly kind = "messages";
  readonly name = "loopback";

  claims({ address }: TransportAddress): boolean {
    return isLoopback(address);
  }

  open(): Promise<LocalTransport> {
    return Promise.resolve({ link: () => undefined, close: () => Promise.resolve() });
  }
}

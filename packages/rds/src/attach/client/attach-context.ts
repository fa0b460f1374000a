import type { Clock, DatagramAddress, Logger, Random } from "@verbena/core/sdk";
import type { AttachLink, LinkEvents } from "../link/attach-link.js";

/** What happens to attached sockets, beside what their calls tell. `local` is the end the socket is bound to. */
export type AttachEvent =
  /** Bound by the stack; also again, when it has come back. */
  | { readonly type: "attached"; readonly local: DatagramAddress }
  /** The stack has gone, or could not be attached to again; it is tried on. */
  | { readonly type: "detached"; readonly local: DatagramAddress; readonly error: Error }
  /** The stack went with messages of the socket that were not acknowledged. */
  | { readonly type: "lost"; readonly local: DatagramAddress; readonly messages: number; readonly error: Error };

/** What an attached socket needs of its surroundings. */
export interface AttachContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Where the stack listens. */
  readonly path: string;
  connect(events: LinkEvents): AttachLink;
  /** Keeps the process alive, while nothing else does, until the function it gives is called. */
  keepAlive(): () => void;
  onEvent(event: AttachEvent): void;
}

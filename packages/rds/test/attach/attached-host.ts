import type { SocketTransport } from "@verbena/core/sdk";
import type { AttachEvent } from "../../src/attach/client/attach-context.js";
import { AttachedSocket } from "../../src/attach/client/attached-socket.js";
import type { AttachServer } from "../../src/attach/server/attach-server.js";
import { RdsStack } from "../../src/index.js";
import type { virtualHost } from "../conformance/user-space-rig.js";
import { MemoryLinks } from "./memory-link.js";

/** Where the stack answers, for messages. */
const PATH = "memory";

/** Programs attached to a stack, over connections in memory, by the clock of the host given. */
export class AttachedHost {
  readonly links = new MemoryLinks();
  readonly events: AttachEvent[] = [];

  constructor(private readonly host: ReturnType<typeof virtualHost>) {}

  /** Whoever connects from now on reaches this server; `undefined`: nobody. */
  serve(server: AttachServer | undefined): void {
    this.links.serve(server === undefined ? undefined : (connect) => server.attach(connect));
  }

  /** The stack of one more program. `addresses`: those asked of the stack that serves. */
  program(addresses?: readonly string[]): RdsStack {
    return new RdsStack({ host: this.host, transports: [this.transport(addresses)] });
  }

  transport(addresses?: readonly string[]): SocketTransport {
    const { clock, random, logger } = this.host;
    const context = {
      clock,
      random,
      logger,
      path: PATH,
      connect: this.links.connect,
      keepAlive: () => () => undefined,
      onEvent: (event: AttachEvent) => this.events.push(event),
    };
    return {
      kind: "sockets",
      name: "attach",
      claims: ({ address }) => addresses?.includes(address) ?? true,
      openSocket: (events) => new AttachedSocket(context, events),
    };
  }
}

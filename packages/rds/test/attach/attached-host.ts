import type { SocketTransport } from "@verbena/core/sdk";
import type { AttachContext, AttachEvent } from "../../src/attach/client/attach-context.js";
import { AttachedSocket } from "../../src/attach/client/attached-socket.js";
import { StackServer } from "../../src/attach/server/stack-server.js";
import { type AttachServer, RdsStack } from "../../src/index.js";
import type { virtualHost } from "../conformance/user-space-rig.js";
import { MemoryLinks } from "./memory-link.js";

/** Where the stack answers, for messages. */
const PATH = "memory";

/** Programs attached to a stack, over connections in memory, by the clock of the host given. */
export class AttachedHost {
  readonly links = new MemoryLinks();
  readonly events: AttachEvent[] = [];

  /** `connect`: other connections than those of {@link links}. */
  constructor(
    private readonly host: ReturnType<typeof virtualHost>,
    private readonly connect: AttachContext["connect"] = (events) => this.links.connect(events),
  ) {}

  /** Whoever connects from now on reaches this server; `undefined`: nobody. */
  serve(server: AttachServer | undefined): void {
    const own = server === undefined ? undefined : stackServer(server);
    this.links.serve(own === undefined ? undefined : (connect) => own.attach(connect));
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
      connect: this.connect,
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

/** What a stack gives: only the package itself has links of another kind than streams. */
export function stackServer(server: AttachServer): StackServer {
  if (server instanceof StackServer) return server;
  throw new Error("no server of a stack");
}

import type { RdsSocket, RdsStack } from "../../src/index.js";
import { UserSpaceRig, virtualHost } from "../conformance/user-space-rig.js";
import { AttachedHost } from "./attached-host.js";

/** A local address of the stack, and that of its peer. */
export const HERE = "10.0.0.5";
export const PEER = "10.0.0.9";

/** A stack that serves, a peer of it, and programs attached to it. A stack that goes comes back as another one. */
export class Programs {
  readonly attached: AttachedHost;
  engine: UserSpaceRig;
  readonly #stacks: RdsStack[] = [];

  constructor(options: ConstructorParameters<typeof UserSpaceRig>[1] = {}) {
    this.engine = new UserSpaceRig(PEER, options);
    this.attached = new AttachedHost(virtualHost(this.engine.clock));
    this.attached.serve(this.engine.stack.serve());
  }

  get links() {
    return this.attached.links;
  }

  /** Connections end, the stack's sockets with them, and nobody answers. */
  async stackGoes(): Promise<void> {
    this.attached.serve(undefined);
    this.links.cut();
    await this.engine.stack.close();
  }

  /** Another stack answers at the same place. Its clock is the first one's. */
  stackComesBack(): void {
    const { clock } = this.engine;
    this.engine = new UserSpaceRig(PEER, {}, undefined, clock);
    this.attached.serve(this.engine.stack.serve());
  }

  /** A socket of a program of its own. */
  async bound(address: string, port: number, options = {}): Promise<RdsSocket> {
    const stack = this.attached.program();
    this.#stacks.push(stack);
    const socket = stack.createSocket(options);
    await socket.bind(address, port);
    return socket;
  }

  async close(): Promise<void> {
    this.links.isHeld = false;
    this.links.deliver();
    await Promise.all(this.#stacks.map((stack) => stack.close()));
    await this.engine.close();
  }
}

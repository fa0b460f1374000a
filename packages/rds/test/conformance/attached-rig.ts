import type { RdsSocket, RdsSocketOptions, RdsStack } from "../../src/index.js";
import { AttachedHost } from "../attach/attached-host.js";
import type { Rig } from "./rig.js";
import { UserSpaceRig, virtualHost } from "./user-space-rig.js";

/** The user-space engine as attached programs see it: their sockets are those of the stack of another, by turns. */
export class AttachedRig implements Rig {
  readonly backEnd = "user-space";
  readonly networkTransport = "attach";
  readonly transports = ["loopback", "memory"] as const;
  readonly #engine: UserSpaceRig;
  readonly #programs: readonly RdsStack[];
  #sockets: RdsSocket[] = [];
  #turn = 0;

  /** `programs`: how many share the stack. */
  constructor(peerAddress: string, programs: number) {
    this.#engine = new UserSpaceRig(peerAddress);
    const attached = new AttachedHost(virtualHost(this.#engine.clock));
    attached.serve(this.#engine.stack.serve());
    const served = [...this.loopback, ...this.local];
    this.#programs = Array.from({ length: programs }, () => attached.program(served));
  }

  get loopback() {
    return this.#engine.loopback;
  }

  get local() {
    return this.#engine.local;
  }

  get keepsForeignMaps(): boolean {
    return this.#engine.keepsForeignMaps;
  }

  get peer(): Rig["peer"] {
    return this.#engine.peer;
  }

  socket(options?: RdsSocketOptions): RdsSocket {
    const program = this.#programs[this.#turn % this.#programs.length];
    if (program === undefined) throw new Error("no program");
    this.#turn += 1;
    const socket = program.createSocket(options);
    this.#sockets.push(socket);
    return socket;
  }

  now(): number {
    return this.#engine.now();
  }

  run<T>(promise: Promise<T>): Promise<T> {
    return this.#engine.run(promise);
  }

  pass(ms: number): Promise<void> {
    return this.#engine.pass(ms);
  }

  settle(): Promise<void> {
    return this.#engine.settle();
  }

  async reset(): Promise<void> {
    await Promise.all(this.#sockets.map((socket) => socket.close()));
    this.#sockets = [];
    await this.#engine.reset();
  }

  async close(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.close()));
    await this.#engine.close();
  }
}

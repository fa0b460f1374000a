import type { BindingError, NativeBinding, UmadPortBinding } from "../src/binding.js";
import { writeHost32 } from "../src/host-order.js";

/** What the addon throws when a call fails. */
export function systemError(code: string, errno: number, syscall: string): BindingError {
  return Object.assign(new Error(`${syscall}: ${code}`), { code, errno, syscall });
}

/** What the addon throws when a library cannot be loaded. */
export function loadError(reason: string): BindingError {
  return Object.assign(new Error(reason), { syscall: "dlopen" });
}

/** A batch as the addon makes it: one record for each `[agentId, status, mad]`. */
export function makeBatch(...messages: readonly (readonly [number, number, Buffer])[]): Buffer {
  return Buffer.concat(
    messages.map(([agentId, status, mad]) => {
      const header = Buffer.alloc(64);
      writeHost32(header, 0, agentId);
      writeHost32(header, 4, status);
      writeHost32(header, 16, mad.length);
      return Buffer.concat([header, mad, Buffer.alloc((8 - (mad.length % 8)) % 8)]);
    }),
  );
}

/** A umad port that the test drives. */
export class FakeUmadPort implements UmadPortBinding {
  readonly calls: string[] = [];
  readonly sent: {
    readonly agentId: number;
    readonly message: Buffer;
    readonly timeoutMs: number;
    readonly retries: number;
  }[] = [];
  onMessages: (batch: Buffer) => void = () => undefined;
  onFailure: (error: BindingError) => void = () => undefined;
  sendError: BindingError | undefined;
  #agents = 0;

  register(...args: readonly unknown[]): number {
    this.calls.push(`register ${JSON.stringify(args)}`);
    return this.#agents++;
  }
  unregister(agentId: number): void {
    this.calls.push(`unregister ${agentId}`);
  }
  send(agentId: number, message: Uint8Array, timeoutMs: number, retries: number): void {
    if (this.sendError !== undefined) throw this.sendError;
    this.sent.push({ agentId, message: Buffer.from(message), timeoutMs, retries });
  }
  start(onMessages: (batch: Buffer) => void, onFailure: (error: BindingError) => void): void {
    this.calls.push("start");
    this.onMessages = onMessages;
    this.onFailure = onFailure;
  }
  setReading(isReading: boolean): void {
    this.calls.push(`reading ${isReading}`);
  }
  close(): Promise<void> {
    this.calls.push("close");
    return Promise.resolve();
  }
  isPolled(): boolean {
    return true;
  }
}

/** Everything throws unless the test gives it. */
export function fakeBinding(parts: Partial<NativeBinding>): NativeBinding {
  const refuse = (name: string) => (): never => {
    throw systemError("ENOSYS", 38, name);
  };
  return {
    openUmad: refuse("openUmad"),
    openVerbs: refuse("openVerbs"),
    attachFabric: refuse("attachFabric"),
    liveVerbsObjects: () => ({}),
    adoptChannel: refuse("adoptChannel"),
    openChannelGroup: refuse("openChannelGroup"),
    openNetlink: refuse("openNetlink"),
    openFrontEnd: refuse("openFrontEnd"),
    adoptNetlink: refuse("adoptNetlink"),
    openRds: refuse("openRds"),
    duplicateRds: refuse("duplicateRds"),
    listenTcp: refuse("listenTcp"),
    connectTcp: refuse("connectTcp"),
    peerCredentials: refuse("peerCredentials"),
    setThreadAffinity: refuse("setThreadAffinity"),
    threadAffinity: refuse("threadAffinity"),
    describeSocket: () => undefined,
    sendDatagram: refuse("sendDatagram"),
    lockFile: refuse("lockFile"),
    ...parts,
  };
}

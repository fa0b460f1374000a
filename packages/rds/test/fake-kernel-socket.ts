import { constants } from "node:os";
import type {
  KernelRdsAddress,
  KernelRdsControl,
  KernelRdsInfo,
  KernelRdsMessage,
  KernelRdsReadiness,
  KernelRdsSocket,
} from "@verbena/core/sdk";

const { EAGAIN } = constants.errno;

/** A failure of the native side, as far as its users look at it. */
export const failed = (errno: number): Error => Object.assign(new Error(`errno ${errno}`), { errno });

/** What a message looks like that the kernel gives; without a source it is a notification. */
export function kernelMessage(text: string, source?: KernelRdsAddress, control: readonly KernelRdsControl[] = []) {
  const data = Buffer.from(text);
  return {
    data,
    length: data.length,
    ...(source === undefined ? {} : { source }),
    isTruncated: false,
    isControlTruncated: false,
    control,
  };
}

/** A socket of the kernel that the test drives. */
export class FakeKernelSocket implements KernelRdsSocket {
  readonly calls: string[] = [];
  /** What `receive` gives; notifications are taken even when only looked at. */
  readonly waiting: KernelRdsMessage[] = [];
  readonly options = new Map<string, Buffer>();
  /** By level and option, what setting it throws. */
  readonly optionErrors = new Map<string, Error>();
  readonly lists = new Map<number, KernelRdsInfo>();
  readonly sent: unknown[][] = [];
  /** What the next sends give. */
  sendResults: number[] = [];
  bindError: Error | undefined;
  local: KernelRdsAddress | undefined;
  canWrite = true;
  watched: { readonly readable?: boolean; readonly writable?: boolean } = {};
  controlSize = 0;
  #ready: (what: KernelRdsReadiness) => void = () => undefined;

  bind(to: KernelRdsAddress): void {
    if (this.bindError !== undefined) throw this.bindError;
    this.local = { ...to, port: to.port === 0 ? 4242 : to.port };
  }
  connect(to: KernelRdsAddress): void {
    this.calls.push(`connect ${to.port}`);
  }
  localAddress(): KernelRdsAddress | undefined {
    return this.local;
  }
  remoteAddress(): undefined {
    return undefined;
  }
  send(...args: readonly unknown[]): number {
    this.sent.push([...args]);
    return this.sendResults.shift() ?? 0;
  }
  receive({ peek = false }: { readonly limit?: number; readonly peek?: boolean } = {}): KernelRdsMessage | number {
    const [first] = this.waiting;
    if (first === undefined) return -EAGAIN;
    if (!peek || first.source === undefined) this.waiting.shift();
    return first;
  }
  receiveMany(): number {
    return -EAGAIN;
  }
  setOption(level: number, option: number, value: Uint8Array): void {
    const error = this.optionErrors.get(`${level} ${option}`);
    if (error !== undefined) throw error;
    this.options.set(`${level} ${option}`, Buffer.from(value));
  }
  getOption(level: number, option: number): Buffer {
    return this.options.get(`${level} ${option}`) ?? Buffer.alloc(4, 0xff);
  }
  cancel(to: KernelRdsAddress): void {
    this.calls.push(`cancel ${to.address} ${to.port}`);
  }
  info(option: number): KernelRdsInfo {
    const list = this.lists.get(option);
    if (list === undefined) throw failed(constants.errno.ENOPROTOOPT);
    return list;
  }
  typeOfService(): number {
    return 0;
  }
  setTypeOfService(): void {
    this.calls.push("tos");
  }
  setControlSize(size: number): void {
    this.controlSize = size;
  }
  ready(): KernelRdsReadiness {
    return { readable: this.waiting.length > 0, writable: this.canWrite, failed: false };
  }
  onReady(ready: (what: KernelRdsReadiness) => void): void {
    this.#ready = ready;
  }
  watch(interest: { readonly readable?: boolean; readonly writable?: boolean }): void {
    this.watched = interest;
  }
  close(): void {
    this.calls.push("close");
  }
  [Symbol.dispose](): void {
    this.close();
  }

  /** Something has happened, of what is watched for. */
  happen(what: Partial<KernelRdsReadiness>): void {
    const { readable = false, writable = false } = this.watched;
    if ((what.readable === true && readable) || (what.writable === true && writable)) {
      this.#ready({ readable: false, writable: false, failed: false, ...what });
    }
  }
}

import type { NetlinkSocketBinding } from "../src/binding.js";
import { systemError } from "./fake-binding.js";

/** A netlink socket that the test drives. */
export class FakeNetlinkSocket implements NetlinkSocketBinding {
  readonly requests: Uint8Array[] = [];
  isReading = true;
  isClosed = false;
  deliver: (...datagrams: readonly Buffer[]) => void = () => undefined;
  overflow: () => void = () => undefined;
  fail: (errno: number) => void = () => undefined;
  send(datagram: Uint8Array): void {
    this.requests.push(datagram);
  }
  start(
    onDatagrams: (datagrams: readonly Buffer[]) => void,
    onOverflow: () => void,
    onFailure: (error: Error) => void,
  ): void {
    this.deliver = (...datagrams) => onDatagrams(datagrams);
    this.overflow = onOverflow;
    this.fail = (errno) => onFailure(systemError("ENETDOWN", errno, "recvfrom"));
  }
  setReading(isReading: boolean): void {
    this.isReading = isReading;
  }
  close(): void {
    this.isClosed = true;
  }
}

import { NetlinkLs } from "@verbena/ib";
import type { RdmaNetlink, RdmaNetlinkEvent, RdmaNetlinkOptions } from "../api/rdma-netlink.js";
import type { NativeBinding } from "../binding.js";
import { NetlinkStream } from "../netlink/netlink-stream.js";
import { NETLINK } from "../rtnetlink/message.js";

/** `RdmaNetlink` over the addon: a socket of its own, or one that was handed over. */
export class RdmaNetlinkSocket implements RdmaNetlink {
  readonly #stream: NetlinkStream<RdmaNetlinkEvent>;

  constructor(
    binding: Pick<NativeBinding, "openNetlink" | "adoptNetlink">,
    { fd }: RdmaNetlinkOptions,
    onClose: (socket: RdmaNetlink) => void,
  ) {
    this.#stream = new NetlinkStream<RdmaNetlinkEvent>({
      what: "the socket of the kernel's local service",
      code: "VERBENA_NATIVE_RDMA_NETLINK",
      open: () =>
        fd === undefined ? binding.openNetlink(NETLINK.RDMA, NetlinkLs.GROUP_MASK) : binding.adoptNetlink(fd),
      onDatagram: (bytes) => [{ type: "datagram", bytes }],
      onOverflow: () => [{ type: "overrun" }],
      onClose: () => {
        onClose(this);
      },
    });
  }

  events(): AsyncIterableIterator<RdmaNetlinkEvent> {
    return this.#stream.events();
  }

  send(datagram: Uint8Array): void {
    this.#stream.send(datagram);
  }

  close(): Promise<void> {
    return this.#stream.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

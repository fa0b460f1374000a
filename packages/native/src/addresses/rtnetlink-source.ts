import type { PKey } from "@verbena/ib";
import type { AddressEvent, AddressSource } from "../api/addresses.js";
import type { NetlinkSocketBinding } from "../binding.js";
import { NetlinkStream } from "../netlink/netlink-stream.js";
import { AddressTable } from "../rtnetlink/address-table.js";
import { NETLINK } from "../rtnetlink/message.js";
import { RtnetlinkSession, type SessionOutput } from "../rtnetlink/session.js";
import { readSysfsPkey } from "../rtnetlink/sysfs-pkey.js";

const GROUPS = NETLINK.GROUP_LINK | NETLINK.GROUP_IPV4_ADDRESS | NETLINK.GROUP_IPV6_ADDRESS;

/** What an rtnetlink source takes from its surroundings. */
export interface RtnetlinkSourceParts {
  openNetlink(protocol: number, groups: number): NetlinkSocketBinding;
  /** Defaults to sysfs. */
  readonly readPkey?: (interfaceName: string) => PKey | undefined;
  /** Tells the parent that the source is closed. */
  readonly onClose?: (source: AddressSource) => void;
}

/** IPs of this host's IPoIB interfaces, by rtnetlink. Listens from its creation on, so nothing is missed before the first read. */
export class RtnetlinkAddressSource implements AddressSource {
  readonly #session: RtnetlinkSession;
  readonly #stream: NetlinkStream<AddressEvent>;

  constructor(parts: RtnetlinkSourceParts) {
    this.#session = new RtnetlinkSession(new AddressTable(parts.readPkey ?? readSysfsPkey));
    this.#stream = new NetlinkStream<AddressEvent>({
      what: "the address source",
      code: "VERBENA_NATIVE_NETLINK",
      open: () => parts.openNetlink(NETLINK.ROUTE, GROUPS),
      onDatagram: (datagram) => this.#ask(this.#session.receive(datagram)),
      onOverflow: () => this.#ask(this.#session.overflow()),
      onClose: () => parts.onClose?.(this),
    });
    this.#stream.step(() => this.#ask(this.#session.start()));
  }

  events(): AsyncIterableIterator<AddressEvent> {
    return this.#stream.events();
  }

  close(): Promise<void> {
    return this.#stream.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #ask({ events, request }: SessionOutput): readonly AddressEvent[] {
    if (request !== undefined) this.#stream.send(request);
    return events;
  }
}

import { type PKey, VerbenaError } from "@verbena/ib";
import type { AddressEvent, AddressSource } from "../api/addresses.js";
import type { NetlinkSocketBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { failure } from "../failure.js";
import { AddressTable } from "../rtnetlink/address-table.js";
import { NETLINK } from "../rtnetlink/message.js";
import { RtnetlinkSession, type SessionOutput } from "../rtnetlink/session.js";
import { readSysfsPkey } from "../rtnetlink/sysfs-pkey.js";
import { SingleReaderQueue } from "../streams/single-reader-queue.js";

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
  readonly #queue: SingleReaderQueue<AddressEvent>;
  readonly #socket: NetlinkSocketBinding;
  readonly #session: RtnetlinkSession;
  #isClosed = false;

  constructor(private readonly parts: RtnetlinkSourceParts) {
    this.#session = new RtnetlinkSession(new AddressTable(parts.readPkey ?? readSysfsPkey));
    try {
      this.#socket = parts.openNetlink(NETLINK.ROUTE, GROUPS);
    } catch (cause) {
      throw failure("VERBENA_NATIVE_NETLINK", {}, cause);
    }
    this.#queue = new SingleReaderQueue<AddressEvent>("the address source", {
      pause: () => this.#socket.setReading(false),
      resume: () => this.#socket.setReading(true),
    });
    this.#socket.start(
      (datagrams) => {
        for (const datagram of datagrams) this.#step(() => this.#session.receive(datagram));
      },
      () => this.#step(() => this.#session.overflow()),
      (cause) => this.#queue.fail(failure("VERBENA_NATIVE_NETLINK", {}, cause)),
    );
    this.#step(() => this.#session.start());
  }

  events(): AsyncIterableIterator<AddressEvent> {
    if (this.#isClosed) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: "the address source" } });
    return this.#queue.read();
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#queue.end(true);
      this.#socket.close();
      this.parts.onClose?.(this);
    }
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #step(step: () => SessionOutput): void {
    if (this.#isClosed) return;
    try {
      const { events, request } = step();
      for (const event of events) this.#queue.push(event);
      if (request !== undefined) this.#socket.send(request);
    } catch (cause) {
      this.#socket.setReading(false);
      this.#queue.fail(VerbenaError.is(cause) ? cause : failure("VERBENA_NATIVE_NETLINK", {}, cause));
    }
  }
}

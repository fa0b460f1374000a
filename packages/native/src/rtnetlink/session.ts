import type { AddressEvent } from "../api/addresses.js";
import { nativeError } from "../errors.js";
import { parseAddress } from "./address.js";
import type { AddressTable } from "./address-table.js";
import { parseLink } from "./link.js";
import { encodeDumpRequest, messageErrno, NETLINK, type NetlinkMessage, parseMessages } from "./message.js";

/** What a step of the session wants done, in this order. */
export interface SessionOutput {
  readonly events: readonly AddressEvent[];
  /** To be sent to the kernel. */
  readonly request?: Buffer;
}

type Phase = "links" | "addresses" | "idle";

/**
 * The conversation with rtnetlink as a state machine without input or output of its own: list links, then addresses, then follow changes;
 * after a loss forget everything and list again. Changes that arrive during a listing are taken as they come, since the table is
 * indifferent to order.
 */
export class RtnetlinkSession {
  #phase: Phase = "idle";
  #sequence = 0;
  /** The listing under way is no longer good enough: it was disturbed, or datagrams were lost. */
  #mustRestart = false;
  #hasSynced = false;

  constructor(private readonly table: AddressTable) {}

  /** The first listing. */
  start(): SessionOutput {
    return { events: [], request: this.#list("links") };
  }

  /** The kernel has dropped datagrams. */
  overflow(): SessionOutput {
    this.table.clear();
    const events: AddressEvent[] = [{ type: "reset" }];
    if (this.#phase === "idle") return { events, request: this.#list("links") };
    // One listing at a time on a socket (the kernel answers EBUSY): let this one end first.
    this.#mustRestart = true;
    return { events };
  }

  /** Throws `VERBENA_NATIVE_NETLINK` if the kernel refuses a listing, `VERBENA_NATIVE_NETLINK_MESSAGE` for malformed bytes. */
  receive(datagram: Buffer): SessionOutput {
    const events: AddressEvent[] = [];
    let request: Buffer | undefined;
    for (const message of parseMessages(datagram)) {
      const step = this.#receive(message);
      events.push(...step.events);
      request = step.request ?? request;
    }
    return request === undefined ? { events } : { events, request };
  }

  #receive(message: NetlinkMessage): SessionOutput {
    const isOfListing = this.#phase !== "idle" && message.sequence === this.#sequence;
    if (isOfListing && (message.flags & NETLINK.NLM_F_DUMP_INTR) !== 0) this.#mustRestart = true;
    switch (message.type) {
      case NETLINK.RTM_NEWLINK:
      case NETLINK.RTM_DELLINK: {
        const link = parseLink(message);
        if (link.family !== 0) return { events: [] };
        const isNew = message.type === NETLINK.RTM_NEWLINK;
        return { events: isNew ? this.table.linkChanged(link) : this.table.linkGone(link.index) };
      }
      case NETLINK.RTM_NEWADDR:
      case NETLINK.RTM_DELADDR: {
        const address = parseAddress(message);
        if (address === undefined) return { events: [] };
        const isNew = message.type === NETLINK.RTM_NEWADDR;
        return { events: isNew ? this.table.addressAdded(address) : this.table.addressRemoved(address) };
      }
      case NETLINK.NLMSG_DONE:
        return isOfListing ? this.#listed() : { events: [] };
      case NETLINK.NLMSG_ERROR: {
        const errno = messageErrno(message);
        if (!isOfListing || errno === 0) return { events: [] };
        throw nativeError("VERBENA_NATIVE_NETLINK", {
          details: { reason: `listing ${this.#phase} failed with errno ${errno}` },
          errno,
          syscall: "netlink",
        });
      }
      default:
        return { events: [] };
    }
  }

  #listed(): SessionOutput {
    if (this.#mustRestart) {
      this.#mustRestart = false;
      // A disturbed listing may have missed removals; what was reported from it is taken back as a whole.
      const events: AddressEvent[] = this.#hasSynced || this.#phase === "addresses" ? [{ type: "reset" }] : [];
      this.table.clear();
      return { events, request: this.#list("links") };
    }
    if (this.#phase === "links") return { events: [], request: this.#list("addresses") };
    this.#phase = "idle";
    this.#hasSynced = true;
    return { events: [{ type: "synced" }] };
  }

  #list(phase: "links" | "addresses"): Buffer {
    this.#phase = phase;
    this.#sequence++;
    return encodeDumpRequest(phase === "links" ? NETLINK.RTM_GETLINK : NETLINK.RTM_GETADDR, this.#sequence);
  }
}

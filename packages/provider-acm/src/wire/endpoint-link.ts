import type { Clock, Context, Logger, Random } from "@verbena/core/sdk";
import { type Gid, type McMemberRecord, VerbenaError } from "@verbena/ib";
import { Backoff } from "../groups/backoff.js";
import type { AcmProviderOptions } from "../options.js";
import type { AcmCounts } from "../protocol/counts.js";
import { EndpointWire } from "./endpoint-wire.js";
import { type Arrival, MULTICAST_QPN, type Sender } from "./packet.js";

export interface EndpointLinkParts {
  readonly rdma: Context;
  readonly port: number;
  readonly portGid: Gid;
  readonly pkeyIndex: number;
  readonly options: Pick<AcmProviderOptions, "resolveDepth" | "sendDepth" | "recvDepth">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly counts: AcmCounts;
  readonly onArrival: (arrival: Arrival) => void;
  /** It can or cannot be used now. `isNew`: peers do not know the queue pair yet, or it hears another group. */
  readonly onChange: (isNew: boolean) => void;
}

/** Room for announcements beside requests and responses. */
const ANNOUNCEMENTS = 16;
/** GID table entries looked through for the port's own. */
const MAX_GID_INDEX = 255;

/** An endpoint's way to its base group: the queue pair, made anew when it fails, attached to the group the SA has granted. */
export class EndpointLink {
  readonly #parts: EndpointLinkParts;
  readonly #backoff: Backoff;
  readonly #closing = new Set<Promise<void>>();
  #wire: EndpointWire | undefined;
  #opening: Promise<void> = Promise.resolve();
  #turn: Promise<void> = Promise.resolve();
  #group: McMemberRecord | undefined;
  #attached: McMemberRecord | undefined;
  #sgidIndex = 0;
  #isClosed = false;
  #problem: string | undefined;
  #cancelReopen: () => void = () => undefined;

  constructor(parts: EndpointLinkParts) {
    this.#parts = parts;
    this.#backoff = new Backoff(parts.random);
  }

  get isReady(): boolean {
    return this.#attached !== undefined;
  }

  /** Of the queue pair; 0 while there is none. */
  get qpn(): number {
    return this.#wire?.qpn ?? 0;
  }

  open(): void {
    this.#opening = this.#open();
  }

  /** The base group as the SA grants it, or none. */
  join(group: McMemberRecord | undefined): void {
    this.#group = group;
    this.#reattach();
  }

  /** To everybody in the base group. */
  ask(message: Buffer): boolean {
    const group = this.#attached;
    if (group === undefined) return false;
    return this.#send(message, { dlid: group.mlid, dgid: group.mgid, pathBits: 0, group }, MULTICAST_QPN);
  }

  /** To one peer, the way its packet came. */
  reply({ lid, gid, qpn, pathBits }: Sender, group: McMemberRecord, message: Buffer, done: () => void): boolean {
    return this.#send(message, { dlid: lid, dgid: gid, pathBits, group }, qpn, done);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelReopen();
    this.#attached = undefined;
    await this.#opening;
    await this.#turn;
    await this.#wire?.close();
    await Promise.all(this.#closing);
  }

  #send(
    message: Buffer,
    way: { readonly dlid: number; readonly dgid: Gid; readonly pathBits: number; readonly group: McMemberRecord },
    qpn: number,
    done?: () => void,
  ): boolean {
    const isSent = this.#wire?.send(message, { ...way, sgidIndex: this.#sgidIndex }, qpn, done) ?? false;
    if (!isSent) this.#parts.counts.sendErrors += 1;
    return isSent;
  }

  async #open(): Promise<void> {
    const { rdma, port, pkeyIndex, options, counts, onArrival } = this.#parts;
    let wire: EndpointWire | undefined;
    try {
      this.#sgidIndex = this.#gidIndex();
      wire = await EndpointWire.open({
        rdma,
        port,
        pkeyIndex,
        recvDepth: options.recvDepth,
        sendDepth: options.resolveDepth + options.sendDepth + ANNOUNCEMENTS,
        onArrival: (arrival) => {
          this.#backoff.reset();
          onArrival(arrival);
        },
        onSendError: () => {
          counts.sendErrors += 1;
        },
        onBroken: (status) => {
          if (wire !== undefined) this.#lose(wire, status);
        },
      });
      this.#wire = wire;
      if (wire.isBroken) this.#lose(wire, "a receive failed at once");
      else this.#reattach();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Brings the queue pair in line with the group, one change after the other. */
  #reattach(): void {
    this.#turn = this.#turn.then(() => this.#attach());
  }

  async #attach(): Promise<void> {
    const [wire, group, before] = [this.#wire, this.#group, this.#attached];
    if (this.#isClosed || wire === undefined) return;
    const isSame = before?.mgid === group?.mgid && before?.mlid === group?.mlid;
    try {
      if (!isSame && before !== undefined) await wire.detach(before.mgid, before.mlid);
      if (!isSame && group !== undefined) await wire.attach(group.mgid, group.mlid);
    } catch (error) {
      this.#lose(wire, String(error));
      return;
    }
    // Meanwhile it may have failed.
    if (this.#wire !== wire || this.#isEnded()) return;
    this.#attached = group;
    if (group !== undefined) this.#problem = undefined;
    this.#parts.onChange(!isSame);
  }

  /** Asked anew after each wait. */
  #isEnded(): boolean {
    return this.#isClosed;
  }

  /** The queue pair is of no use any more. */
  #lose(wire: EndpointWire, status: string): void {
    if (this.#wire !== wire || this.#isClosed) return;
    this.#wire = undefined;
    this.#attached = undefined;
    this.#parts.counts.rebuilds += 1;
    const closing = wire.close();
    this.#closing.add(closing);
    const done = (): void => {
      this.#closing.delete(closing);
    };
    closing.then(done, done);
    this.#fail(status);
  }

  #fail(cause: unknown): void {
    const problem = cause instanceof Error ? cause.message : String(cause);
    const pauseMs = this.#backoff.next();
    if (problem !== this.#problem && !this.#isClosed) {
      const hint = VerbenaError.is(cause) ? cause.hint : undefined;
      this.#parts.logger.warn("no queue pair for the multicast protocol", {
        error: problem,
        ...(hint === undefined ? {} : { hint }),
        retryInMs: Math.round(pauseMs),
      });
    }
    this.#problem = problem;
    if (this.#isClosed) return;
    this.#parts.onChange(false);
    this.#cancelReopen = this.#parts.clock.schedule(pauseMs, () => {
      this.open();
    });
  }

  /** Where the port's GID is in the device's table, which may have gaps. */
  #gidIndex(): number {
    const { rdma, port, portGid } = this.#parts;
    for (let index = 0; index <= MAX_GID_INDEX; index++) {
      try {
        if (rdma.queryGid(port, index) === portGid) return index;
      } catch {
        return 0;
      }
    }
    return 0;
  }
}

import type {
  Context,
  Destination,
  DuplicateAddress,
  Endpoint,
  EndpointServices,
  EndpointSession,
  GroupMemberships,
  GroupStatus,
  LocalAddress,
  Port,
  PortEvent,
  ProviderHost,
  SaService,
  SessionState,
} from "@verbena/core/sdk";
import { type AcmMad, Gid, Lid, type McMemberRecord } from "@verbena/ib";
import { AcmAddresses } from "./acm-addresses.js";
import { AcmRoutes } from "./acm-routes.js";
import { DuplicateWatch } from "./duplicates/duplicate-watch.js";
import { EndpointGroups } from "./groups/endpoint-groups.js";
import { chooseGroup } from "./groups/group-choice.js";
import { planGroups } from "./groups/group-plan.js";
import { Inquiry } from "./inquiry.js";
import type { AcmProviderOptions } from "./options.js";
import { acmHint } from "./peers/acm-hint.js";
import { HeardAddresses } from "./peers/heard-addresses.js";
import type { Peer } from "./peers/peer.js";
import { PeerTable } from "./peers/peer-table.js";
import { RateLimiter } from "./peers/rate-limit.js";
import { Announcer } from "./protocol/announcer.js";
import { type AcmCounts, DROPPED_METRIC, dropLabels, zeroCounts } from "./protocol/counts.js";
import { OwnAddresses } from "./protocol/own-addresses.js";
import { Requester } from "./protocol/requester.js";
import { Responder } from "./protocol/responder.js";
import { askingTimeMs } from "./protocol/retry-gaps.js";
import {
  datagramDropped,
  duplicateFound,
  type HeardWith,
  requestHeard,
  requestSent,
  responseHeard,
  responseSent,
} from "./watch/protocol-events.js";
import { decodeAddress } from "./wire/acm-address.js";
import { EndpointLink } from "./wire/endpoint-link.js";
import { type Arrival, readPacket, type Sender } from "./wire/packet.js";

export interface AcmEndpointSessionParts {
  readonly endpoint: Endpoint;
  readonly services: EndpointServices;
  readonly sa: SaService;
  readonly memberships: GroupMemberships;
  readonly rdma: Context;
  readonly host: Pick<ProviderHost, "clock" | "random" | "metrics">;
  readonly options: AcmProviderOptions;
  /** GIDs of all ports of this host. */
  readonly isOwnGid: (gid: Gid) => boolean;
  /** It is being closed and wants to hear of nothing any more. */
  readonly onClose: (session: AcmEndpointSession) => void;
}

/** How often one peer can make us doubt the paths to it. */
const MOVES = { burst: 4, perSecond: 0.1 } as const;
const MOVES_REMEMBERED = 1_024;

/** The protocol on one endpoint: its groups, its queue pair, who asks, who answers. */
export class AcmEndpointSession implements EndpointSession {
  readonly address: AcmAddresses;
  readonly route: AcmRoutes;
  readonly #parts: AcmEndpointSessionParts;
  readonly #counts: AcmCounts = zeroCounts();
  readonly #listeners = new Set<(state: SessionState) => void>();
  readonly #addresses: OwnAddresses;
  readonly #peers: PeerTable;
  readonly #heard: HeardAddresses;
  readonly #groups: EndpointGroups;
  readonly #link: EndpointLink;
  readonly #requester: Requester;
  readonly #responder: Responder;
  readonly #announcer: Announcer;
  readonly #duplicates: DuplicateWatch;
  readonly #doubts: RateLimiter<Gid>;
  #port: Port;
  #state: SessionState = "joining";

  constructor(parts: AcmEndpointSessionParts) {
    const { endpoint, services, sa, memberships, rdma, options, isOwnGid } = parts;
    const { clock, random, metrics } = parts.host;
    const { logger } = services;
    const counts = this.#counts;
    const portGid = endpoint.port.gids[0] ?? Gid.zero;
    const own = (): ReadonlyMap<Gid, McMemberRecord> => this.#groups.own;
    this.#parts = parts;
    this.#port = endpoint.port;
    this.#addresses = new OwnAddresses(endpoint.addresses, () => this.#port);
    this.#peers = new PeerTable(options.maxPeers, clock);
    this.#heard = new HeardAddresses(options.maxPeers, clock);
    this.#doubts = new RateLimiter(MOVES, clock, MOVES_REMEMBERED);
    this.#duplicates = new DuplicateWatch({ clock, endpoint: endpoint.key, logger, metrics, counts, isOwnGid });
    this.#groups = new EndpointGroups({
      plan: planGroups(options, endpoint),
      portGid,
      sa,
      memberships,
      clock,
      random,
      logger,
      onBase: (record) => {
        this.#link.join(record);
      },
    });
    this.#link = new EndpointLink({
      rdma,
      port: endpoint.port.port,
      portGid,
      pkeyIndex: endpoint.pkeyIndex,
      options,
      clock,
      random,
      logger,
      counts,
      onArrival: this.#arrive,
      onChange: this.#refresh,
    });
    this.#requester = new Requester({
      clock,
      random,
      resolveDepth: options.resolveDepth,
      own,
      ownGid: portGid,
      ownLid: () => this.#port.lid,
      send: (message) => {
        const isSent = this.#link.ask(message);
        if (isSent) services.observe(() => requestSent(message));
        return isSent;
      },
      sendTo: ({ gid, lid, qpn, mgid }, message) => {
        const group = own().get(mgid);
        if (group === undefined) return false;
        const to = { gid, lid, qpn, pathBits: 0 };
        const isSent = this.#link.reply(to, group, message, () => undefined);
        if (isSent) services.observe(() => requestSent(message, to));
        return isSent;
      },
      counts,
      onLate: (destination, peer) => {
        this.#learn(destination, peer);
      },
      onDuplicate: (address, first, second) => {
        this.#conflict(address, first, second);
      },
    });
    this.#responder = new Responder({
      clock,
      addresses: this.#addresses,
      own,
      sendDepth: options.sendDepth,
      reply: (to, group, message, done) => {
        const isSent = this.#link.reply(to, group, message, done);
        if (isSent) services.observe(() => responseSent(message, to));
        return isSent;
      },
      counts,
      isKnown: (source, peer) => this.#heard.isKnown(source, peer),
      onHeard: (source, peer) => {
        this.#learn(source, peer);
      },
      onClaim: (address, by) => {
        this.#conflict(address, portGid, by);
      },
    });
    this.#announcer = new Announcer(clock, random, (address) => {
      this.#requester.announce(address);
    });
    const inquiry = new Inquiry({
      requester: this.#requester,
      addresses: this.#addresses,
      clock,
      askingTimeMs: () => askingTimeMs(options, this.#port),
      ownerOf: (address) => this.#heard.owner(address),
      isEverybodysTurn: (address) => this.#heard.isEverybodysTurn(address),
      onPeer: (peer, destination) => {
        this.#hear(peer);
        this.#heard.hear(destination, peer);
      },
      onFoundAgain: (peer, destination) => {
        this.#teach(destination, peer);
      },
    });
    this.address = new AcmAddresses(inquiry);
    this.route = new AcmRoutes({ peers: this.#peers, own, port: () => this.#port, inquiry });
  }

  /** Joins the groups and makes the queue pair. */
  start(): void {
    this.#link.open();
    this.#groups.start();
  }

  get state(): SessionState {
    return this.#state;
  }

  onState(listener: (state: SessionState) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  addAddress(address: LocalAddress): Promise<void> {
    this.#heard.forget(address);
    this.#duplicates.forget();
    if (this.#addresses.add(address) && this.#state === "ready") this.#announce([address]);
    return Promise.resolve();
  }

  removeAddress(address: LocalAddress): Promise<void> {
    this.#announcer.forget(address);
    this.#addresses.remove(address);
    this.#duplicates.forget();
    return Promise.resolve();
  }

  counters(): Readonly<Record<string, number>> {
    return { ...this.#counts };
  }

  groups(): readonly GroupStatus[] {
    return this.#groups.status();
  }

  duplicates(): readonly DuplicateAddress[] {
    return this.#duplicates.list();
  }

  onEvent(event: PortEvent): void {
    this.#port = event.port;
    switch (event.type) {
      case "sm-change":
      case "client-reregister":
        this.#doubt();
        this.#groups.renew();
        return;
      case "notice":
        if (event.notice.type === "gid-in" || event.notice.type === "gid-out") this.#peers.delete(event.notice.gid);
        return;
      case "lid-change":
      case "gid-change":
      case "pkey-change":
      case "unknown":
        this.#forget();
        return;
      case "flush":
        if (event.cause === "notices-missed") this.#doubt();
        else this.#forget();
        return;
      default:
        event satisfies never;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#parts.onClose(this);
    this.#announcer.close();
    this.#groups.close();
    this.#requester.close();
    this.#responder.close();
    this.#listeners.clear();
    await this.#link.close();
  }

  #forget(): void {
    this.#peers.clear();
    this.#heard.clear();
  }

  /** LIDs may be others; whose an address is, no SM decides. */
  #doubt(): void {
    this.#peers.clear();
    this.#heard.doubt();
  }

  readonly #arrive = (arrival: Arrival): void => {
    const packet = readPacket(arrival);
    if (packet.type === "dropped") {
      this.#counts.dropped += 1;
      this.#parts.host.metrics.increment(DROPPED_METRIC, dropLabels(this.#parts.endpoint.key, packet.reason));
      this.#parts.services.observe(() => datagramDropped(packet.reason));
      return;
    }
    const { type, mad, from } = packet;
    if (this.#isOwn(from)) return;
    this.#parts.services.observe(() =>
      type === "request"
        ? requestHeard(mad, from, this.#heardWith(mad))
        : responseHeard(mad, from, this.#requester.subject(mad.tid)),
    );
    if (type === "request") {
      this.#groups.hear(mad.gids);
      this.#responder.take(mad, from);
    } else this.#requester.take(mad, from);
  };

  /** What is known before the request has been taken. */
  #heardWith(mad: AcmMad): HeardWith {
    const source = decodeAddress({ type: mad.srcType, info: mad.srcAddress });
    const wanted = decodeAddress({ type: mad.destType, info: mad.destAddress });
    return {
      group: chooseGroup(mad.gids, this.#groups.own)?.mgid,
      ageMs: source && this.#heard.ageMs(source),
      isOurs: wanted !== undefined && this.#addresses.has(wanted),
    };
  }

  #conflict(address: Destination | LocalAddress, first: Gid, second: Gid): void {
    if (this.#duplicates.report(address, first, second)) {
      this.#parts.services.observe(() => duplicateFound(address.text, first, second));
    }
  }

  /** Devices do not hand a packet back to the queue pair that sent it; whoever does must not confuse us. */
  #isOwn({ gid, qpn }: Sender): boolean {
    return qpn === this.#link.qpn && this.#addresses.isOwnGid(gid);
  }

  #learn(destination: Destination, peer: Peer): void {
    this.#hear(peer);
    if (this.#heard.hear(destination, peer)) this.#teach(destination, peer);
  }

  #teach(destination: Destination, peer: Peer): void {
    const answer = { gid: peer.gid, group: peer.mgid, hint: acmHint(peer, destination) };
    this.#parts.services.learn({ kind: "address", destination, answer });
  }

  /** A peer has been heard; one that has another LID than before has taken the paths to it along. */
  #hear(peer: Peer): void {
    const before = this.#peers.hear(peer, this.#port.lmc);
    if (before === undefined || !this.#doubts.take(peer.gid)) return;
    this.#parts.services.doubt(
      [peer.gid, before.lid],
      `${Gid.format(peer.gid)} was heard at LID ${Lid.format(peer.lid)}, no longer at ${Lid.format(before.lid)}`,
    );
  }

  #announce(addresses: Iterable<LocalAddress>): void {
    if (!this.#parts.options.announce) return;
    for (const address of addresses) this.#announcer.tell(address);
  }

  /** The queue pair or its group has come, changed or gone. */
  readonly #refresh = (isNew: boolean): void => {
    const state = this.#link.isReady ? "ready" : this.#groups.base?.state === "failed" ? "failed" : "joining";
    if (this.#link.isReady && isNew) this.#announce(this.#addresses.values());
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener(state);
  };
}

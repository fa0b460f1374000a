import {
  BthOpcode,
  encodeIbPacket,
  encodeNotice,
  encodeSmp,
  Gid,
  MadMethod,
  MgmtClass,
  type Notice,
  NoticeType,
  PKey,
  SmAttribute,
  TrapNumber,
} from "@verbena/ib";
import type { Fabric } from "../fabric/fabric.js";
import type { FabricPort } from "../fabric/port.js";

const MANAGEMENT_LANE = 15;
/** Producer types of generic notices (IBA 13.4.8.2). */
const PRODUCERS = { ca: 1, switch: 2, router: 3 } as const;
const DETAILS_SIZE = 54;

/** Number of a trap that a link raises, `sim ctl trap`: link integrity, buffer overrun, flow control watchdog. */
export type LinkTrap = 129 | 130 | 131;

interface Pending {
  readonly tid: bigint;
  readonly stop: () => void;
}

/** What a trap says; a newer one of the same kind and port takes the place of an older. */
interface TrapFacts {
  readonly trapNumber: number;
  readonly type: number;
  readonly details: Buffer;
  /** Port of the node that it is about. */
  readonly about: number;
}

/**
 * The traps of all nodes: a switch tells its subnet manager that a link changed (128), an end port that its capability mask did
 * (144). A trap is repeated after each SubnetTimeOut until the manager represses it (IBA 14.3.10); a newer one of the same kind
 * takes its place. Ports that know no manager are silent. Traps 129 to 131 come on command, and never sooner after the last one about the
 * same port than a SubnetTimeOut.
 */
export class Traps {
  readonly #fabric: Fabric;
  readonly #pending = new Map<FabricPort, Map<number, Pending>>();
  readonly #stopListening: () => void;
  /** When a trap was last sent, by issuer and then as in `#pending`. */
  readonly #lastSent = new Map<FabricPort, Map<number, number>>();
  #lastTid = 0n;

  /** @param tellsChanges false: only what `raise` asks for is sent; the built-in manager sees changes for itself */
  constructor(fabric: Fabric, tellsChanges: boolean) {
    this.#fabric = fabric;
    this.#stopListening = fabric.events.add((event) => {
      if (!tellsChanges) return;
      if (event.type === "link") this.#linkChanged(event.port);
      else if (event.type === "capability") this.#capabilityChanged(event.port);
    });
  }

  /** True if the port has a trap of that transaction under way, which it then ends. */
  repress(port: FabricPort, tid: bigint): boolean {
    for (const [key, pending] of this.#pending.get(port) ?? []) {
      if (pending.tid !== tid) continue;
      pending.stop();
      this.#pending.get(port)?.delete(key);
      return true;
    }
    return false;
  }

  /** Raises a trap of a link at `port`; false if the node knows no manager to send it to. */
  raise(port: FabricPort, trapNumber: LinkTrap): boolean {
    const issuer = port.node.kind === "switch" ? port.node.ports[0] : port;
    if (issuer === undefined || issuer.smLid === 0 || issuer.lid === 0) return false;
    const details = Buffer.alloc(DETAILS_SIZE);
    details.writeUInt16BE(issuer.lid, 2);
    details.writeUInt8(port.number, 4);
    const facts = { trapNumber, type: NoticeType.URGENT, details, about: port.number };
    const last = this.#lastSent.get(issuer)?.get(keyOf(facts)) ?? Number.NEGATIVE_INFINITY;
    this.#raise(issuer, facts, last + repeatMs(issuer) - this.#fabric.services.clock.now());
    return true;
  }

  /** Traps that are repeated until someone represses them. */
  get waiting(): number {
    let count = 0;
    for (const traps of this.#pending.values()) count += traps.size;
    return count;
  }

  close(): void {
    this.#stopListening();
    for (const traps of this.#pending.values()) for (const { stop } of traps.values()) stop();
    this.#pending.clear();
  }

  #linkChanged(port: FabricPort): void {
    const manager = port.node.kind === "switch" ? port.node.ports[0] : undefined;
    if (manager === undefined) return;
    const details = Buffer.alloc(DETAILS_SIZE);
    details.writeUInt16BE(manager.lid, 0);
    this.#raise(manager, { trapNumber: TrapNumber.LINK_STATE_CHANGED, type: NoticeType.URGENT, details, about: 0 });
  }

  #capabilityChanged(port: FabricPort): void {
    const details = Buffer.alloc(DETAILS_SIZE);
    details.writeUInt16BE(port.lid, 2);
    details.writeUInt32BE(port.capabilityMask, 6);
    const { INFORMATIONAL: type } = NoticeType;
    this.#raise(port, { trapNumber: TrapNumber.LOCAL_CHANGES, type, details, about: port.number });
  }

  #raise(port: FabricPort, facts: TrapFacts, waitMs = 0): void {
    const { trapNumber, type, details } = facts;
    const key = keyOf(facts);
    const ofPort = this.#pending.get(port) ?? new Map<number, Pending>();
    ofPort.get(key)?.stop();
    ofPort.delete(key);
    if (port.smLid === 0 || port.lid === 0) return;
    this.#pending.set(port, ofPort);
    this.#lastTid += 1n;
    const tid = this.#lastTid;
    const notice: Notice = {
      isGeneric: true,
      type,
      producerType: PRODUCERS[port.node.kind],
      trapNumber,
      issuerLid: port.lid,
      toggle: false,
      count: 0,
      details,
      issuerGid: Gid.zero,
    };
    let stop: () => void = () => undefined;
    const sent = this.#lastSent.get(port) ?? new Map<number, number>();
    this.#lastSent.set(port, sent);
    const send = () => {
      sent.set(key, this.#fabric.services.clock.now());
      this.#fabric.send(port, trapPacket(port, tid, notice));
      stop = this.#fabric.services.clock.schedule(repeatMs(port), send);
    };
    ofPort.set(key, {
      tid,
      stop: () => {
        stop();
      },
    });
    if (waitMs > 0) stop = this.#fabric.services.clock.schedule(waitMs, send);
    else send();
  }
}

function keyOf({ trapNumber, about }: Pick<TrapFacts, "trapNumber" | "about">): number {
  return trapNumber * 256 + about;
}

/** SubnetTimeOut is a power of two of 4.096 µs. */
function repeatMs(port: FabricPort): number {
  return 0.004_096 * 2 ** port.subnetTimeout;
}

function trapPacket(port: FabricPort, tid: bigint, notice: Notice): Buffer {
  return encodeIbPacket({
    lrh: { vl: MANAGEMENT_LANE, sl: port.smSl, dlid: port.smLid, slid: port.lid },
    bth: {
      opcode: BthOpcode.UD_SEND_ONLY,
      solicited: false,
      migration: true,
      pkey: PKey.DEFAULT,
      destQpn: 0,
      ackRequest: false,
      psn: 0,
    },
    deth: { qkey: 0, srcQpn: 0 },
    payload: encodeSmp({
      mgmtClass: MgmtClass.SUBN_LID_ROUTED,
      method: MadMethod.TRAP,
      tid,
      attributeId: SmAttribute.NOTICE,
      mkey: port.settings.mkey,
      data: encodeNotice(notice).subarray(0, 64),
    }),
  });
}

import { Gid, Guid, Lid, PKey } from "@verbena/ib";
import type { AttachedHca, AttachedPort, AttachHost, HcaChange, KeyKind } from "../../src/attach/attach-host.js";

type Receiver = (portNumber: number, packet: Buffer) => void;

/** A port whose fields tests may change. */
export type FakePort = { -readonly [K in keyof AttachedPort]: AttachedPort[K] };

/** An HCA whose ports tests may change. */
export interface FakeHca extends AttachedHca {
  readonly ports: readonly FakePort[];
}

function fakeHca(index: number, nodeDescription: string): FakeHca {
  const guid = 0x0002c90300000000n + BigInt(index) * 0x100n;
  const port: FakePort = {
    number: 1,
    guid: Guid.from(guid + 1n),
    lid: Lid.from(index + 1),
    lmc: 0,
    smLid: Lid.from(1),
    smSl: 0,
    state: 4,
    physState: 5,
    mtuCap: 5,
    activeMtu: 4,
    width: 2,
    speed: 32,
    rate: 100,
    capabilityMask: 0x02510868,
    subnetTimeout: 18,
    pkeyViolations: 0,
    qkeyViolations: 0,
    gids: [Gid.of(Gid.linkLocalPrefix, guid + 1n)],
    pkeys: [PKey.from(0xffff), PKey.from(0x8001)],
    linkLayer: "infiniband",
  };
  return {
    index,
    id: `H${index + 1}`,
    nodeDescription,
    nodeGuid: Guid.from(guid),
    sysImageGuid: Guid.from(guid + 0xffn),
    vendorId: 0x2c9,
    deviceId: 4123,
    ports: [port],
  };
}

/** A fabric without switches or management: packets go straight to the HCA whose LID they carry. */
export class FakeHost implements AttachHost {
  readonly #hcas: readonly FakeHca[];
  readonly #receivers = new Map<AttachedHca, Receiver>();
  readonly #listeners = new Set<(hca: AttachedHca, change: HcaChange) => void>();
  /** `H1 1 on`, `H1 1 off` in the order of the calls. */
  readonly issmCalls: string[] = [];
  /** `H1 1 pkey` in the order of the calls. */
  readonly violations: string[] = [];
  /** True to lose this packet. */
  loses: (packet: Buffer) => boolean = () => false;
  /** Packets delivered. */
  delivered = 0;
  unclaimedCount = 0;

  constructor(descriptions: readonly string[] = ["node1 HCA-1", "node2 HCA-1"]) {
    this.#hcas = descriptions.map((description, index) => fakeHca(index, description));
  }

  hcasNamed(name: string): readonly FakeHca[] {
    for (const matches of [
      (hca: FakeHca) => hca.id === name,
      (hca: FakeHca) => hca.nodeDescription === name,
      (hca: FakeHca) => hca.nodeDescription.split(" ")[0] === name,
    ]) {
      const found = this.#hcas.filter(matches);
      if (found.length > 0) return found;
    }
    return [];
  }

  hcas(): readonly FakeHca[] {
    return this.#hcas;
  }

  inject(_hca: AttachedHca, _portNumber: number, packet: Buffer): void {
    if (packet.length < 8 || this.loses(packet)) return;
    const dlid = packet.readUInt16BE(2);
    const target = this.#hcas.find((hca) => hca.ports[0]?.lid === dlid);
    const receiver = target === undefined ? undefined : this.#receivers.get(target);
    if (receiver === undefined) return;
    this.delivered += 1;
    receiver(1, Buffer.from(packet));
  }

  carry(hca: AttachedHca, portNumber: number, packet: Buffer): void {
    this.inject(hca, portNumber, packet);
  }

  countViolation(hca: AttachedHca, portNumber: number, kind: KeyKind): void {
    this.violations.push(`${hca.id} ${portNumber} ${kind}`);
  }

  unclaimed(): void {
    this.unclaimedCount += 1;
  }

  setReceiver(hca: AttachedHca, receiver: Receiver): void {
    this.#receivers.set(hca, receiver);
  }

  onChange(listener: (hca: AttachedHca, change: HcaChange) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  setIsSm(hca: AttachedHca, portNumber: number, isOn: boolean): void {
    this.issmCalls.push(`${hca.id} ${portNumber} ${isOn ? "on" : "off"}`);
  }

  /** Subscriptions that have not ended. */
  get subscriptions(): number {
    return this.#listeners.size;
  }

  emit(hca: AttachedHca, change: HcaChange): void {
    for (const listener of this.#listeners) listener(hca, change);
  }
}

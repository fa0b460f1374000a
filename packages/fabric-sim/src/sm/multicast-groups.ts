import type { Gid } from "@verbena/ib";
import { Lid, type McMemberRecord } from "@verbena/ib";
import type { FabricPort } from "../fabric/port.js";

/** One port's membership of a group. */
export interface GroupMember {
  readonly port: FabricPort;
  /** As the join named it. */
  readonly portGid: Gid;
  readonly scope: number;
  /** Join-state bits, never 0. */
  joinState: number;
  readonly proxyJoin: boolean;
}

/** A multicast group: its parameters, and who belongs to it. */
export interface MulticastGroup {
  /** Selectors are 2 (exactly); port GID, join state and proxy bit are not the group's. */
  readonly record: McMemberRecord;
  /** Well-known groups stay when the last member leaves. */
  readonly isWellKnown: boolean;
  readonly members: Map<FabricPort, GroupMember>;
}

/** All multicast groups of the subnet, in the order of their MGIDs, and the multicast LIDs they use. */
export class MulticastGroups {
  readonly #byMgid = new Map<Gid, MulticastGroup>();
  #nextMgid = 0;

  constructor(
    private readonly highestMlid = Lid.MULTICAST_MIN + 0x3fff - 1,
    private readonly onChange: (group: MulticastGroup) => void = () => undefined,
    private readonly onLife: (type: "group-created" | "group-deleted", group: MulticastGroup) => void = () => undefined,
  ) {}

  byMgid(mgid: Gid): MulticastGroup | undefined {
    return this.#byMgid.get(mgid);
  }

  /** All groups, lowest MGID first. */
  all(): readonly MulticastGroup[] {
    return [...this.#byMgid.values()].sort((a, b) => (a.record.mgid < b.record.mgid ? -1 : 1));
  }

  /** A free multicast LID: `wanted` if that is one, else the lowest; `undefined` if all are taken. */
  freeMlid(wanted: number): Lid | undefined {
    const used = new Set<number>([...this.#byMgid.values()].map((group) => group.record.mlid));
    if (wanted >= Lid.MULTICAST_MIN && wanted <= this.highestMlid && !used.has(wanted)) return Lid.from(wanted);
    for (let mlid: number = Lid.MULTICAST_MIN; mlid <= this.highestMlid; mlid++)
      if (!used.has(mlid)) return Lid.from(mlid);
    return undefined;
  }

  /** An MGID with the SA's signature (0xA01B) that no group has. */
  freeMgid(scope: number, prefix: bigint): Gid {
    for (;;) {
      const unique = BigInt(this.#nextMgid++);
      const mgid = ((0xff10n | BigInt(scope)) << 112n) | (0xa01bn << 96n) | (prefix << 32n) | unique;
      if (!this.#byMgid.has(mgid as Gid)) return mgid as Gid;
    }
  }

  create(record: McMemberRecord, isWellKnown: boolean): MulticastGroup {
    const group: MulticastGroup = { record, isWellKnown, members: new Map() };
    this.#byMgid.set(record.mgid, group);
    this.onLife("group-created", group);
    return group;
  }

  /** Adds join-state bits to a port's membership, or makes it a member. */
  join(group: MulticastGroup, member: GroupMember): GroupMember {
    const known = group.members.get(member.port);
    if (known !== undefined) {
      known.joinState |= member.joinState;
      return known;
    }
    group.members.set(member.port, member);
    this.onChange(group);
    return member;
  }

  /** Takes join-state bits from a membership; without any it ends, and without full members a group that is not well known does. */
  leave(group: MulticastGroup, member: GroupMember, joinState: number): void {
    member.joinState &= ~joinState;
    if (member.joinState === 0) group.members.delete(member.port);
    this.#removeIfIdle(group);
    this.onChange(group);
  }

  /** Ends every membership of ports that are gone. */
  keepOnly(ports: ReadonlySet<FabricPort>): void {
    for (const group of [...this.#byMgid.values()]) {
      const gone = [...group.members.keys()].filter((port) => !ports.has(port));
      for (const port of gone) group.members.delete(port);
      if (gone.length > 0) this.#removeIfIdle(group);
    }
  }

  /** Ends every membership, as a new subnet manager that knows of none does; well-known groups stay, empty. */
  clear(): void {
    for (const group of [...this.#byMgid.values()]) {
      group.members.clear();
      this.#removeIfIdle(group);
    }
  }

  #removeIfIdle(group: MulticastGroup): void {
    // Bits 0 (full member) and 3 (send-only full member) keep a group alive.
    const isAlive = [...group.members.values()].some((member) => (member.joinState & 0b1001) !== 0);
    if (isAlive || group.isWellKnown) return;
    group.members.clear();
    this.#byMgid.delete(group.record.mgid);
    this.onLife("group-deleted", group);
  }
}

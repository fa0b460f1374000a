import { emptyMcMemberRecord, encodeMcMemberRecord, type Gid, JoinState, mcMemberMask, SaAttribute } from "@verbena/ib";
import type { Clock, GroupMemberships, SaQuery, SaService } from "../sdk/services.js";

/** How long nobody has to have used a group before it is left, milliseconds: an endpoint that is opened again, or by a new engine, uses it by then. */
const GRACE_MS = 10_000;

/** A group on a port. */
interface Membership {
  readonly mgid: Gid;
  users: number;
  cancel: () => void;
}

/** A port, by the GID it joins with. */
interface PortMemberships {
  readonly groups: Map<Gid, Membership>;
  readonly ways: Set<SaService>;
}

/**
 * Who in this process uses which group on which port, over all engines: membership belongs to the port, and the one who closes last has to leave. A group
 * that nobody uses any more is left while a way to the SA is open and stays so. The end of the process leaves nothing: whoever takes its place is a
 * member, and so may be other programs of the host, of which nobody tells.
 */
export class MembershipBook {
  readonly #ports = new Map<Gid, PortMemberships>();

  /** A port can ask its SA, until the function returned is called; `forProviders` is what they get. */
  open(
    portGid: Gid,
    sa: SaService,
    clock: Clock,
  ): { readonly forProviders: GroupMemberships; readonly close: () => void } {
    const port = this.#port(portGid);
    port.ways.add(sa);
    for (const group of port.groups.values()) this.#watch(portGid, group, clock);
    return {
      forProviders: {
        hold: (mgid) => this.#hold(portGid, mgid, clock),
      },
      close: () => {
        port.ways.delete(sa);
        if (port.ways.size > 0) return;
        for (const { cancel } of port.groups.values()) cancel();
      },
    };
  }

  #hold(portGid: Gid, mgid: Gid, clock: Clock): () => void {
    const { groups } = this.#port(portGid);
    const group = groups.get(mgid) ?? { mgid, users: 0, cancel: () => undefined };
    groups.set(mgid, group);
    group.cancel();
    group.users += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      group.users -= 1;
      this.#watch(portGid, group, clock);
    };
  }

  #watch(portGid: Gid, group: Membership, clock: Clock): void {
    const { ways, groups } = this.#port(portGid);
    if (group.users > 0 || ways.size === 0) return;
    group.cancel();
    group.cancel = clock.schedule(GRACE_MS, () => {
      const [sa] = ways;
      if (group.users > 0 || sa === undefined) return;
      groups.delete(group.mgid);
      // The SA ends the membership by itself when the port goes down; a refusal or silence changes nothing for us.
      sa.query(leaveQuery(portGid, group.mgid)).catch(() => undefined);
    });
  }

  #port(portGid: Gid): PortMemberships {
    const known = this.#ports.get(portGid);
    if (known !== undefined) return known;
    const made = { groups: new Map<Gid, Membership>(), ways: new Set<SaService>() };
    this.#ports.set(portGid, made);
    return made;
  }
}

/** The MCMemberRecord Delete that ends a full membership; component mask MGID, port GID, join state. */
function leaveQuery(portGid: Gid, mgid: Gid): SaQuery {
  const fields = { mgid, portGid, joinState: JoinState.FULL_MEMBER };
  return {
    method: "delete",
    attributeId: SaAttribute.MC_MEMBER_RECORD,
    componentMask: mcMemberMask(fields),
    record: encodeMcMemberRecord(emptyMcMemberRecord(fields)),
  };
}

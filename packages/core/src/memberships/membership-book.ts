import { emptyMcMemberRecord, encodeMcMemberRecord, type Gid, JoinState, mcMemberMask, SaAttribute } from "@verbena/ib";
import type { Clock, GroupMemberships, SaQuery, SaService } from "../sdk/services.js";

/** How long nobody has to have used a group before it is left, milliseconds: an endpoint that is opened again, or by a new engine, uses it by then. */
const GRACE_MS = 10_000;

/** How long a new user of a group that is just being left waits for the SA's answer before that question is given up, milliseconds. */
const LEAVE_PATIENCE_MS = 1_000;

/** A group on a port. */
interface Membership {
  readonly mgid: Gid;
  users: number;
  cancel: () => void;
}

/** A Delete that is not answered yet. */
interface Leaving {
  readonly giveUp: AbortController;
  readonly isOver: Promise<void>;
}

/** A port, by the GID it joins with. */
interface PortMemberships {
  readonly groups: Map<Gid, Membership>;
  readonly leavings: Map<Gid, Leaving>;
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
        leaving: (mgid) => this.#port(portGid).leavings.get(mgid)?.isOver,
      },
      close: () => {
        port.ways.delete(sa);
        if (port.ways.size > 0) return;
        for (const { cancel } of port.groups.values()) cancel();
      },
    };
  }

  #hold(portGid: Gid, mgid: Gid, clock: Clock): () => void {
    const { groups, leavings } = this.#port(portGid);
    const leaving = leavings.get(mgid);
    if (leaving !== undefined) giveUpLater(leaving, clock);
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
    const port = this.#port(portGid);
    const { ways, groups } = port;
    if (group.users > 0 || ways.size === 0) return;
    group.cancel();
    group.cancel = clock.schedule(GRACE_MS, () => {
      const [sa] = ways;
      if (group.users > 0 || sa === undefined) return;
      groups.delete(group.mgid);
      leave(port, portGid, group.mgid, sa);
    });
  }

  #port(portGid: Gid): PortMemberships {
    const known = this.#ports.get(portGid);
    if (known !== undefined) return known;
    const made: PortMemberships = { groups: new Map(), leavings: new Map(), ways: new Set() };
    this.#ports.set(portGid, made);
    return made;
  }
}

/** Asks the SA to end a membership. Who joins again meanwhile must not be overtaken by a repeat of that, so it is kept until it is over. */
function leave({ leavings }: PortMemberships, portGid: Gid, mgid: Gid, sa: SaService): void {
  const giveUp = new AbortController();
  const over = (): void => {
    if (leavings.get(mgid) === leaving) leavings.delete(mgid);
  };
  // The SA ends the membership by itself when the port goes down; a refusal or silence changes nothing for us.
  const isOver = sa.query({ ...leaveQuery(portGid, mgid), signal: giveUp.signal }).then(over, over);
  const leaving: Leaving = { giveUp, isOver };
  leavings.set(mgid, leaving);
}

/** An answer is better than none: the SA may work on two questions at once. */
function giveUpLater({ giveUp, isOver }: Leaving, clock: Clock): void {
  const cancel = clock.schedule(LEAVE_PATIENCE_MS, () => {
    giveUp.abort();
  });
  void isOver.then(cancel);
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

import type { Clock, GroupStatus, Logger, Random, SaService } from "@verbena/core/sdk";
import {
  decodeMcMemberRecord,
  emptyMcMemberRecord,
  encodeMcMemberRecord,
  Gid,
  Mtu,
  mcMemberMask,
  PKey,
  parseAcmMgid,
  Rate,
  SaAttribute,
} from "@verbena/ib";
import type { GroupPlan } from "./group-plan.js";
import { ACM_QKEY, compareGroups, type GroupSpec } from "./group-spec.js";

export interface GroupSurveyParts {
  readonly plan: GroupPlan;
  readonly sa: SaService;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Within which time from its start an endpoint looks round first, by lot: hosts of a cluster start together. */
const FIRST_MS = 10_000;
/** Mean time between two looks. */
const PERIOD_MS = 600_000;
/** Groups of others that are told of. */
const LIMIT = 16;

type Foreign = Pick<GroupSpec, "mgid" | "rate" | "mtu" | "sl" | "trafficClass">;

/**
 * Looks now and then which groups of the protocol the SA knows of the same partition: hosts whose base group is another one are not heard, and nothing else
 * tells. The question names the protocol's Q_Key, so that a fabric's other groups, as many as hosts, are not in the answer.
 */
export class GroupSurvey {
  readonly #parts: GroupSurveyParts;
  readonly #told = new Set<Gid>();
  #foreign: readonly Foreign[] = [];
  #looking = new AbortController();
  #cancel: () => void = () => undefined;

  constructor(parts: GroupSurveyParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#wait(FIRST_MS * this.#parts.random());
  }

  /** Another SM knows other groups. */
  renew(): void {
    this.start();
  }

  close(): void {
    this.#cancel();
    this.#looking.abort();
  }

  /** Groups of others, least preferred first. */
  status(): readonly GroupStatus[] {
    return this.#foreign.map((group) => ({
      ...group,
      role: "foreign",
      state: "left-out",
      problem: this.#problem(group),
    }));
  }

  #wait(ms: number): void {
    this.#cancel();
    this.#looking.abort();
    this.#cancel = this.#parts.clock.schedule(ms, () => {
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    const looking = new AbortController();
    this.#looking = looking;
    const { sa, logger, random } = this.#parts;
    const fields = { qkey: ACM_QKEY };
    try {
      const { status, records } = await sa.query({
        method: "getTable",
        attributeId: SaAttribute.MC_MEMBER_RECORD,
        componentMask: mcMemberMask(fields),
        record: encodeMcMemberRecord(emptyMcMemberRecord(fields)),
        signal: looking.signal,
      });
      if (status === 0) this.#foreign = this.#pick(records);
    } catch (error) {
      logger.debug("the groups of others are not known", { error: String(error) });
    }
    if (looking.signal.aborted) return;
    for (const group of this.#foreign) {
      if (this.#told.has(group.mgid)) continue;
      this.#told.add(group.mgid);
      logger.warn(`group ${Gid.format(group.mgid)} of this partition is not this host's`, {
        hint: this.#problem(group),
      });
    }
    this.#wait(PERIOD_MS * (0.5 + random()));
  }

  #pick(records: readonly Buffer[]): readonly Foreign[] {
    const { base, joined, left, wishesForMore } = this.#parts.plan;
    const own = new Set([...joined, ...left].map(({ mgid }) => mgid));
    const found = new Map<Gid, Foreign>();
    for (const bytes of records) {
      const { mgid } = decodeMcMemberRecord(bytes);
      const group = parseAcmMgid(mgid);
      if (group === undefined || own.has(mgid) || !PKey.samePartition(group.pkey, base.pkey)) continue;
      const { rate, mtu, sl, tos: trafficClass } = group;
      const foreign = { mgid, rate, mtu, sl, trafficClass };
      // With groups of ports in use one that is no slower than the base group is somebody's port's.
      if (wishesForMore && !isBelow(foreign, base)) continue;
      found.set(mgid, foreign);
    }
    return [...found.values()].sort(compareGroups).slice(0, LIMIT);
  }

  #problem(group: Foreign): string {
    const { base } = this.#parts.plan;
    const whose = isBelow(group, base)
      ? "is the base group of other hosts"
      : "is the base group of other hosts, unless it is the one of their ports (route_prot acm)";
    return `${speedOf(group)} ${whose}, which hear nothing of this one (${speedOf(base)}): give all hosts the same min_rate and min_mtu`;
  }
}

/** The group of a port is never below its base group in either. */
function isBelow(group: Pick<GroupSpec, "rate" | "mtu">, base: Pick<GroupSpec, "rate" | "mtu">): boolean {
  return Rate.compare(group.rate, base.rate) < 0 || group.mtu < base.mtu;
}

/** Rate and MTU as an operator knows them. */
export function speedOf({ rate, mtu }: Pick<GroupSpec, "rate" | "mtu">): string {
  return `${String(Rate.toGbps(rate) ?? `code ${String(rate)}`)} Gb/s, MTU ${String(Mtu.toBytes(mtu) ?? `code ${String(mtu)}`)}`;
}

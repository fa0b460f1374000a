import type { Clock, GroupStatus, Logger, Random, SaService } from "@verbena/core/sdk";
import {
  decodeMcMemberRecord,
  emptyMcMemberRecord,
  encodeMcMemberRecord,
  Gid,
  MadStatus,
  Mtu,
  mcMemberMask,
  PKey,
  parseAcmMgid,
  Rate,
  SaAttribute,
} from "@verbena/ib";
import { LruMap } from "../peers/lru-map.js";
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

/** Groups remembered as those of hosts that are heard. */
const HEARD_LIMIT = 64;

type Foreign = Pick<GroupSpec, "mgid" | "rate" | "mtu" | "sl" | "trafficClass">;

/**
 * Looks now and then which groups of the protocol the SA knows of the same partition: hosts whose base group is another one are not heard, and nothing else
 * tells. The question names the protocol's Q_Key, so that a fabric's other groups, as many as hosts, are not in the answer.
 */
export class GroupSurvey {
  readonly #parts: GroupSurveyParts;
  readonly #told = new Set<Gid>();
  readonly #own: ReadonlySet<Gid>;
  readonly #heard = new LruMap<Gid, true>(HEARD_LIMIT);
  #foreign: readonly Foreign[] = [];
  #looking = new AbortController();
  #cancel: () => void = () => undefined;

  constructor(parts: GroupSurveyParts) {
    this.#parts = parts;
    const { joined, left } = parts.plan;
    this.#own = new Set([...joined, ...left].map(({ mgid }) => mgid));
  }

  start(): void {
    this.#wait(FIRST_MS * this.#parts.random());
  }

  /** Somebody who is heard in the base group is in these groups too: none of them is the base group of others. */
  hear(mgids: readonly Gid[]): void {
    for (const mgid of mgids) if (!this.#own.has(mgid)) this.#heard.set(mgid, true);
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
    return this.#unheard().map((group) => ({
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
    const before = new Set(this.#foreign.map(({ mgid }) => mgid));
    let foreign = this.#foreign;
    try {
      const { status, records } = await sa.query({
        method: "getTable",
        attributeId: SaAttribute.MC_MEMBER_RECORD,
        componentMask: mcMemberMask(fields),
        record: encodeMcMemberRecord(emptyMcMemberRecord(fields)),
        signal: looking.signal,
      });
      if (status === 0) foreign = this.#pick(records);
      else if (status === MadStatus.SA_NO_RECORDS) foreign = [];
    } catch (error) {
      logger.debug("the groups of others are not known", { error: String(error) });
    }
    if (looking.signal.aborted) return;
    this.#foreign = foreign;
    for (const group of this.#unheard()) {
      if (this.#told.has(group.mgid)) continue;
      // It may be of hosts that have not asked for anything yet.
      if (this.#isPerhapsHeard(group) && !before.has(group.mgid)) continue;
      this.#told.add(group.mgid);
      logger.warn(`group ${Gid.format(group.mgid)} of this partition is not this host's`, {
        hint: this.#problem(group),
      });
    }
    this.#wait(PERIOD_MS * (0.5 + random()));
  }

  #pick(records: readonly Buffer[]): readonly Foreign[] {
    const { base } = this.#parts.plan;
    const found = new Map<Gid, Foreign>();
    for (const bytes of records) {
      const { mgid } = decodeMcMemberRecord(bytes);
      const group = parseAcmMgid(mgid);
      if (group === undefined || this.#own.has(mgid) || !PKey.samePartition(group.pkey, base.pkey)) continue;
      const { rate, mtu, sl, tos: trafficClass } = group;
      found.set(mgid, { mgid, rate, mtu, sl, trafficClass });
    }
    return [...found.values()].sort(compareGroups).slice(0, LIMIT);
  }

  #unheard(): readonly Foreign[] {
    return this.#foreign.filter(({ mgid }) => this.#heard.get(mgid) === undefined);
  }

  /** Where hosts have groups beside their base group, one that is no slower than that can be in the list of anybody who will be heard. */
  #isPerhapsHeard(group: Foreign): boolean {
    return this.#parts.plan.wishesForMore && !isBelow(group, this.#parts.plan.base);
  }

  #problem(group: Foreign): string {
    const { base, wishesForMore } = this.#parts.plan;
    const remedy = `(${speedOf(base)}): give all hosts the same min_rate and min_mtu`;
    if (!isBelow(group, base)) {
      return `${speedOf(group)} is the base group of other hosts, unless it is the one of their ports (route_prot acm), which hear nothing of this one ${remedy}`;
    }
    // Who is in his port's group and not in the base group has a port that is too slow for that.
    return wishesForMore
      ? `${speedOf(group)} is the base group of other hosts, or of a port too slow for this one, which hear nothing of it ${remedy}, which each port can carry`
      : `${speedOf(group)} is the base group of other hosts, which hear nothing of this one ${remedy}`;
  }
}

function isBelow(group: Pick<GroupSpec, "rate" | "mtu">, base: Pick<GroupSpec, "rate" | "mtu">): boolean {
  return Rate.compare(group.rate, base.rate) < 0 || group.mtu < base.mtu;
}

/** Rate and MTU as an operator knows them. */
export function speedOf({ rate, mtu }: Pick<GroupSpec, "rate" | "mtu">): string {
  return `${String(Rate.toGbps(rate) ?? `code ${String(rate)}`)} Gb/s, MTU ${String(Mtu.toBytes(mtu) ?? `code ${String(mtu)}`)}`;
}

import type { Clock, GroupMemberships, GroupStatus, Logger, Random, SaService } from "@verbena/core/sdk";
import type { Gid, McMemberRecord } from "@verbena/ib";
import { GroupMember } from "./group-member.js";
import type { GroupPlan } from "./group-plan.js";
import { GroupSurvey, speedOf } from "./group-survey.js";

export interface EndpointGroupsParts {
  readonly plan: GroupPlan;
  readonly portGid: Gid;
  readonly sa: SaService;
  readonly memberships: GroupMemberships;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The base group has been joined, joined anew, or lost. */
  readonly onBase: (record: McMemberRecord | undefined) => void;
}

/** The memberships of one endpoint. */
export class EndpointGroups {
  readonly #plan: GroupPlan;
  readonly #members: readonly GroupMember[];
  readonly #survey: GroupSurvey;
  #own: ReadonlyMap<Gid, McMemberRecord> = new Map();

  constructor({ plan, onBase, ...parts }: EndpointGroupsParts) {
    this.#plan = plan;
    this.#survey = new GroupSurvey({ ...parts, plan });
    this.#members = plan.joined.map(
      (spec) =>
        new GroupMember({
          ...parts,
          spec,
          onChange: (member) => {
            this.#refresh();
            if (member.spec.role === "base") onBase(member.record);
          },
        }),
    );
  }

  /** Groups that are joined, least preferred first: what a request lists and a path may be made of. */
  get own(): ReadonlyMap<Gid, McMemberRecord> {
    return this.#own;
  }

  get base(): GroupMember | undefined {
    return this.#members[0];
  }

  start(): void {
    for (const member of this.#members) member.start();
    this.#survey.start();
  }

  renew(): void {
    for (const member of this.#members) member.renew();
    this.#survey.renew();
  }

  /** Somebody who is heard lists these groups. */
  hear(mgids: readonly Gid[]): void {
    this.#survey.hear(mgids);
  }

  close(): void {
    for (const member of this.#members) member.close();
    this.#survey.close();
  }

  status(): readonly GroupStatus[] {
    const joined = this.#members.map(({ spec, state, record, problem }): GroupStatus => {
      const { role, mgid, rate, mtu, sl, trafficClass } = spec;
      const shown = { mgid, role, state, rate, mtu, sl, trafficClass };
      return {
        ...shown,
        ...(record === undefined ? {} : { mlid: record.mlid }),
        ...this.#problemOf(role, state, problem),
      };
    });
    const left = this.#plan.left.map(
      ({ role, mgid, rate, mtu, sl, trafficClass }): GroupStatus => ({
        mgid,
        role,
        state: "left-out",
        rate,
        mtu,
        sl,
        trafficClass,
        problem: "the port is too slow for it, or a request has no room to list it",
      }),
    );
    return [...joined, ...left, ...this.#survey.status()];
  }

  #problemOf(role: string, state: string, problem: string | undefined): { readonly problem?: string } {
    const { base, port, isBaseCarried } = this.#plan;
    if (role === "base" && state !== "joined" && !isBaseCarried) {
      const what = `the port (${speedOf(port)}) is too slow for the base group (${speedOf(base)})`;
      return { problem: `${what}: lower min_rate and min_mtu on all hosts, or mend the link` };
    }
    return problem === undefined ? {} : { problem };
  }

  #refresh(): void {
    this.#own = new Map(
      this.#members.flatMap(({ spec: { mgid }, record }) => (record === undefined ? [] : [[mgid, record] as const])),
    );
  }
}

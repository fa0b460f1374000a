import type { Clock, GroupMemberships, GroupState, Logger, Random, SaService } from "@verbena/core/sdk";
import { decodeMcMemberRecord, Gid, Lid, type McMemberRecord, VerbenaError } from "@verbena/ib";
import { providerAcmError } from "../errors.js";
import { Backoff } from "./backoff.js";
import { type MemberPhase, type MemberSignal, stepMember } from "./group-machine.js";
import type { GroupSpec } from "./group-spec.js";
import { joinQuery } from "./join-record.js";

export interface GroupMemberParts {
  readonly spec: GroupSpec;
  readonly portGid: Gid;
  readonly sa: SaService;
  readonly memberships: GroupMemberships;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Joined, joined anew, or lost. */
  readonly onChange: (member: GroupMember) => void;
}

const SHOWN: Readonly<Record<MemberPhase, GroupState>> = {
  joining: "joining",
  joined: "joined",
  renewing: "joined",
  waiting: "failed",
  closed: "failed",
};

/** The port's membership in one group: joined at the SA, joined again when that is refused, unanswered or forgotten. */
export class GroupMember {
  readonly spec: GroupSpec;
  readonly #parts: GroupMemberParts;
  readonly #backoff: Backoff;
  #phase: MemberPhase = "joining";
  #record: McMemberRecord | undefined;
  #problem: string | undefined;
  /** Of the last question: older answers count for nothing. */
  #asked = 0;
  #asking = new AbortController();
  #cancelRetry: () => void = () => undefined;
  #release: () => void = () => undefined;

  constructor(parts: GroupMemberParts) {
    this.spec = parts.spec;
    this.#parts = parts;
    this.#backoff = new Backoff(parts.random);
  }

  /** What the SA has granted; `undefined` while the port is no member. */
  get record(): McMemberRecord | undefined {
    return this.#record;
  }

  get state(): GroupState {
    return SHOWN[this.#phase];
  }

  /** Why it could not be joined last. */
  get problem(): string | undefined {
    return this.#problem;
  }

  start(): void {
    this.#release = this.#parts.memberships.hold(this.spec.mgid);
    this.#ask();
  }

  /** Another SM, or one that has forgotten: the membership stands, and is asked for again. */
  renew(): void {
    this.#backoff.reset();
    this.#step("renew");
  }

  close(): void {
    this.#step("close");
    this.#cancelRetry();
    this.#asking.abort();
    this.#release();
  }

  #step(signal: MemberSignal, granted?: McMemberRecord): void {
    const { next, action } = stepMember(this.#phase, signal);
    this.#phase = next;
    switch (action) {
      case "none":
        return;
      case "ask":
        this.#ask();
        return;
      case "keep":
        this.#record = granted;
        this.#problem = undefined;
        this.#backoff.reset();
        this.#parts.onChange(this);
        return;
      case "pause":
      case "lose":
        this.#cancelRetry = this.#parts.clock.schedule(this.#backoff.next(), () => {
          this.#step("retry");
        });
        this.#record = undefined;
        this.#parts.onChange(this);
        return;
      default:
        action satisfies never;
    }
  }

  #ask(): void {
    this.#cancelRetry();
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    const asked = ++this.#asked;
    const isOld = (): boolean => asked !== this.#asked || signal.aborted;
    const leaving = this.#parts.memberships.leaving(this.spec.mgid);
    if (leaving === undefined) this.#join(signal, isOld);
    else {
      void leaving.then(() => {
        if (!isOld()) this.#join(signal, isOld);
      });
    }
  }

  #join(signal: AbortSignal, isOld: () => boolean): void {
    const { spec, portGid, sa } = this.#parts;
    sa.query({ ...joinQuery(spec, portGid), signal }).then(
      ({ status, records: [bytes] }) => {
        if (isOld()) return;
        if (status !== 0) this.#refused(status);
        else this.#granted(bytes);
      },
      (error: unknown) => {
        if (!isOld()) this.#fail(error);
      },
    );
  }

  #granted(bytes: Buffer | undefined): void {
    let record: McMemberRecord | undefined;
    try {
      record = bytes && decodeMcMemberRecord(bytes);
    } catch (error) {
      this.#fail(error);
      return;
    }
    const isRight = record?.mgid === this.spec.mgid && Lid.isMulticast(record.mlid);
    if (isRight) this.#step("granted", record);
    else this.#fail("the answer of the subnet administrator is about another group");
  }

  #refused(status: number): void {
    const mgid = Gid.format(this.spec.mgid);
    const text = status.toString(16).padStart(4, "0");
    this.#fail(providerAcmError("VERBENA_PROVIDER_ACM_JOIN", { details: { mgid, status: text, saStatus: status } }));
  }

  /** Reported once for each reason: it is tried again for as long as it takes. */
  #fail(cause: unknown): void {
    const problem = cause instanceof Error ? cause.message : String(cause);
    if (problem !== this.#problem) {
      const hint = VerbenaError.is(cause) ? cause.hint : undefined;
      this.#parts.logger.warn(`group ${Gid.format(this.spec.mgid)} is not joined`, {
        error: problem,
        ...(hint === undefined ? {} : { hint }),
        retryInMs: this.#backoff.peek(),
      });
    }
    this.#problem = problem;
    this.#step("refused");
  }
}

import { encodeNotice, encodeSaMad, MadMethod, type Notice, SaAttribute } from "@verbena/ib";
import type { SimClock } from "../fabric/services.js";
import type { Subscription } from "./subscriptions.js";

/** OpenSM's `transaction_timeout` and `transaction_retries`. */
export const REPORT_TIMEOUT_MS = 200;
export const REPORT_RETRIES = 3;

/** First transaction id of reports; far from those of programs, whose high half is the number of an agent. */
const FIRST_TID = 0x02da_b000n;
const LAST_TID = 0xffff_ffffn;

/** What became of the reports. */
export interface ReportCounters {
  /** Reports to one subscriber each, repetitions not counted. */
  sent: number;
  /** Those whose subscriber acknowledged them. */
  acknowledged: number;
  /** Those given up after the last repetition. */
  unanswered: number;
}

/** Sends reports and repeats each until its subscriber acknowledges it. */
export class ReportSender {
  readonly counters: ReportCounters = { sent: 0, acknowledged: 0, unanswered: 0 };
  readonly #open = new Map<bigint, { readonly lid: number; cancel: () => void }>();
  #nextTid = FIRST_TID;

  constructor(
    private readonly clock: SimClock,
    private readonly send: (to: Subscription["address"], mad: Buffer) => void,
  ) {}

  report({ address }: Subscription, notice: Notice): void {
    const tid = this.#nextTid;
    this.#nextTid = tid === LAST_TID ? FIRST_TID : tid + 1n;
    const mad = encodeSaMad({
      method: MadMethod.REPORT,
      tid,
      attributeId: SaAttribute.NOTICE,
      record: encodeNotice(notice),
    });
    this.counters.sent++;
    const open = { lid: address.lid, cancel: (): void => undefined };
    this.#open.set(tid, open);
    const attempt = (retriesLeft: number): void => {
      this.send(address, mad);
      open.cancel = this.clock.schedule(REPORT_TIMEOUT_MS, () => {
        if (retriesLeft > 0) {
          attempt(retriesLeft - 1);
          return;
        }
        this.#open.delete(tid);
        this.counters.unanswered++;
      });
    };
    attempt(REPORT_RETRIES);
  }

  /** Takes a ReportResp; true if it belongs to a report that waits for one from that LID. */
  acknowledge(tid: bigint, lid: number): boolean {
    const open = this.#open.get(tid);
    if (open?.lid !== lid) return false;
    open.cancel();
    this.#open.delete(tid);
    this.counters.acknowledged++;
    return true;
  }

  /** Gives up all open reports. */
  close(): void {
    for (const { cancel } of this.#open.values()) cancel();
    this.#open.clear();
  }
}

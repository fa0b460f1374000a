import type { TransportCounter } from "@verbena/core/sdk";
import type { Io } from "../../../io.js";
import { type Counts, countsBetween } from "./counters.js";
import { CpuUse } from "./cpu-use.js";
import type { LinkOptions } from "./link-options.js";
import type { LocalSettings } from "./settings.js";

/** What is known at one moment of a run. */
export interface Moment {
  /** Milliseconds, of any clock. */
  readonly atMs: number;
  /** Since the beginning. */
  readonly counts: Counts;
  /** Of RDS itself, by the kernel's names; asked only for perfdata. */
  readonly rds: readonly TransportCounter[];
  /** Payload bytes that wait in the children's queues; asked only for JSON. */
  readonly queues: { readonly sendQueueBytes: number; readonly receiveQueueBytes: number } | undefined;
}

type Form = "text" | "json" | "perfdata";

const WIDTHS = [4, 6, 6, 10, 10, 10, 7, 8, 5] as const;
const HEADINGS = ["tsks", "tx/s", "rx/s", "tx+rx K/s", "mbi K/s", "mbo K/s", "tx us/c", "rtt us", "cpu %"] as const;

/** Writes what rds-stress writes, from the end of the warm-up on. */
export class StressReport {
  readonly #form: Form;
  readonly #cpu: CpuUse;
  readonly #cpuSamples: number[] = [];
  #first: Moment;
  #last: Moment;

  constructor(
    private readonly plan: LinkOptions,
    local: LocalSettings,
    private readonly io: Io,
    begin: Moment,
  ) {
    this.#form = local.isJson ? "json" : plan.showsPerfdata ? "perfdata" : "text";
    this.#cpu = new CpuUse(local.reportsCpu);
    this.#first = begin;
    this.#last = begin;
    if (this.#form === "text") io.out(row(HEADINGS));
    if (this.#form === "perfdata")
      io.out(`::${[...PERFDATA, ...begin.rds.map(perfdataName), ...CPU_PERFDATA].join(",")}\n`);
  }

  /** One line of what has happened since the one before. */
  line(now: Moment): void {
    const cpu = this.#cpu.percent();
    this.#cpuSamples.push(cpu);
    const rates = ratesOf(this.#last, now, this.plan.tasks, cpu);
    const earlier = this.#last;
    this.#last = now;
    if (this.plan.isSummaryOnly) return;
    if (this.#form === "json") this.#json("sample", rates, now);
    else if (this.#form === "perfdata") this.io.out(`::${this.#perfdata(rates, earlier, now)}\n`);
    else this.io.out(row(cells(rates)));
  }

  /** The line of all of it. */
  summary(now: Moment): void {
    const cpu = this.#cpuSamples.length === 0 ? -1 : mean(this.#cpuSamples);
    const rates = ratesOf(this.#first, now, this.plan.tasks, cpu);
    if (this.#form === "json") return this.#json("summary", rates, now);
    if (!this.plan.isSummaryOnly) this.io.out(`${"-".repeat(45)}\n`);
    this.io.out(row(cells(rates)).replace("\n", "  (average)\n"));
  }

  #json(type: "sample" | "summary", rates: Rates, now: Moment): void {
    const { requestBytes, ackBytes } = this.plan;
    const { sendUs: _send, rttUs: _rtt, ...counts } = rates.counts;
    const shown = {
      type,
      atMs: Number((now.atMs - this.#first.atMs).toFixed(3)),
      ...{ tasks: rates.tasks, requestBytes, ackBytes },
      ...counts,
      requestsSentPerSecond: rates.sent,
      requestsReceivedPerSecond: rates.received,
      kibPerSecond: rates.kib,
      ...{ meanSendUs: rates.sendUs, meanRttUs: rates.rttUs, cpuPercent: rates.cpu < 0 ? null : rates.cpu },
      ...now.queues,
    };
    this.io.out(`${JSON.stringify(shown)}\n`);
  }

  #perfdata(rates: Rates, earlier: Moment, now: Moment): string {
    const { tasks, requestBytes, ackBytes } = this.plan;
    const numbers = [rates.kib, 0, rates.sendUs, rates.rttUs, Math.max(0, rates.cpu)];
    const before = new Map(earlier.rds.map(({ name, value }) => [name, value]));
    const scale = 1000 / Math.max(1e-3, now.atMs - earlier.atMs);
    const rds = now.rds.map(({ name, value }) => Number(value - (before.get(name) ?? 0n)) * scale);
    return [
      ...[tasks, requestBytes, ackBytes, 0, rates.counts.requestsSent].map(String),
      ...[...numbers, ...rds, ...this.#cpu.shares()].map((value) => value.toFixed(6)),
    ].join(",");
  }
}

interface Rates {
  readonly tasks: number;
  readonly counts: Counts;
  readonly sent: number;
  readonly received: number;
  readonly kib: number;
  readonly sendUs: number;
  readonly rttUs: number;
  readonly cpu: number;
}

/** Rates per second of the time that has passed. */
function ratesOf(earlier: Moment, now: Moment, tasks: number, cpu: number): Rates {
  const counts = countsBetween(earlier.counts, now.counts);
  const scale = 1000 / Math.max(1e-3, now.atMs - earlier.atMs);
  return {
    tasks,
    counts,
    sent: counts.requestsSent * scale,
    received: counts.requestsReceived * scale,
    kib: (counts.bytes * scale) / 1024,
    sendUs: counts.requestsSent === 0 ? 0 : counts.sendUs / counts.requestsSent,
    rttUs: counts.acksReceived === 0 ? 0 : counts.rttUs / counts.acksReceived,
    cpu,
  };
}

const cells = ({ tasks, sent, received, kib, sendUs, rttUs, cpu }: Rates): readonly string[] => [
  String(tasks),
  ...[sent, received].map((rate) => String(Math.floor(rate))),
  ...[kib, 0, 0, sendUs, rttUs, cpu].map((value) => value.toFixed(2)),
];

const row = (texts: readonly string[]): string =>
  `${texts.map((text, column) => text.padStart(WIDTHS[column] ?? 0)).join(" ")}\n`;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const PERFDATA = [
  ...["nr_tasks:count", "req_size:bytes", "ack_size:bytes", "rdma_size:bytes", "req_sent:count", "thruput:kB/s"],
  ...["thruput_rdma:kB/s", "tx_delay:microseconds", "rtt:microseconds", "cpu:percent"],
];
const CPU_PERFDATA = ["user:percent", "system:percent", "idle:percent", "irq:percent"];

const perfdataName = ({ name }: TransportCounter): string => `${name}:${name.includes("_bytes") ? "bytes" : "count"}`;

import { cpus } from "node:os";

type Times = Record<"user" | "system" | "idle" | "irq", number>;

/** How busy the processors of this host are, by the system's own account. */
export class CpuUse {
  #percentAt = read();
  #sharesAt = read();

  constructor(private readonly isWanted: boolean) {}

  /** Percent since the last call; -1 if nobody wants to know. */
  percent(): number {
    if (!this.isWanted) return -1;
    const [before, now] = [this.#percentAt, read()];
    this.#percentAt = now;
    const [, , idle = 0] = sharesBetween(before, now);
    return 100 - idle;
  }

  /** Percent in programs, in the kernel, idle, in interrupts, since the last call. */
  shares(): readonly number[] {
    const [before, now] = [this.#sharesAt, read()];
    this.#sharesAt = now;
    return sharesBetween(before, now);
  }
}

function read(): Times {
  const total: Times = { user: 0, system: 0, idle: 0, irq: 0 };
  for (const { times } of cpus()) {
    total.user += times.user + times.nice;
    total.system += times.sys;
    total.idle += times.idle;
    total.irq += times.irq;
  }
  return total;
}

function sharesBetween(before: Times, now: Times): readonly number[] {
  const spent = (["user", "system", "idle", "irq"] as const).map((name) => now[name] - before[name]);
  const all = spent.reduce((sum, value) => sum + value, 0);
  // The system counts in ticks: between two looks in one tick nothing has passed.
  return spent.map((value, which) => (all === 0 ? (which === 2 ? 100 : 0) : (value * 100) / all));
}

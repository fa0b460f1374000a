import type { Resolver } from "@verbena/core";
import { VerbenaError } from "@verbena/ib";
import type { Failure } from "./failure-oracle.js";
import { machineMs } from "./machine-clock.js";
import type { Answer, Question } from "./path-oracle.js";
import { Stalls } from "./stalls.js";

/** How long a request may take beyond its deadline, and a daemon to read what it was told, on an idle machine. */
const GRACE_MS = 200;
const MOST_OPEN = 48;

/** Asks resolvers, and keeps what they answered for the judge. */
export class Asking {
  readonly answers: Answer[] = [];
  readonly failures: Failure[] = [];
  readonly problems: string[] = [];
  readonly #open = new Set<Promise<void>>();
  readonly #stalls = new Stalls();

  constructor(
    private readonly resolvers: ReadonlyMap<string, Resolver>,
    private readonly deadlineMs: number,
  ) {}

  /** How late something that began at `fromMs` may be at `toMs`. */
  graceMs(fromMs: number, toMs = machineMs()): number {
    return GRACE_MS + this.#stalls.between(fromMs, toMs);
  }

  /** Starts a question; waits for a place if too many are open. */
  async ask(question: Question): Promise<void> {
    while (this.#open.size >= MOST_OPEN) await Promise.race(this.#open);
    const work = this.#one(question).finally(() => this.#open.delete(work));
    this.#open.add(work);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#open);
  }

  /** Which part of the requests was answered. */
  get answeredShare(): number {
    const count = this.answers.length + this.failures.length;
    return count === 0 ? 0 : this.answers.length / count;
  }

  /** How many answers and failures there are to judge. */
  summary(): string {
    const codes = new Map<string, number>();
    for (const { code } of this.failures) codes.set(code, (codes.get(code) ?? 0) + 1);
    const failed = [...codes].map(([code, times]) => `${code} ${times}`).join(", ");
    const share = `${(100 * this.answeredShare).toFixed(1)} %`;
    return `${this.answers.length} answers (${share}) and ${this.failures.length} failures judged (${failed || "none"})`;
  }

  stop(): void {
    this.#stalls.stop();
  }

  async #one(question: Question): Promise<void> {
    const { node, destination } = question;
    const resolver = this.resolvers.get(node);
    if (resolver === undefined) throw new Error(`no resolver on ${node}`);
    const begin = machineMs();
    try {
      const { paths } = await resolver.resolve(destination, { deadlineMs: this.deadlineMs });
      const atMs = machineMs();
      const [path] = paths;
      if (path === undefined) this.problems.push(`${node} asked for ${destination}: an answer without a path`);
      else
        this.answers.push({
          ...question,
          path,
          atMs,
          graceMs: (sinceMs) => this.graceMs(sinceMs, atMs),
        });
    } catch (error) {
      if (!VerbenaError.is(error)) throw error;
      const toMs = machineMs();
      this.failures.push({ ...question, code: error.code, fromMs: begin, toMs, graceMs: this.graceMs(begin, toMs) });
    }
    const tookMs = machineMs() - begin;
    if (tookMs > this.deadlineMs + this.graceMs(begin)) {
      const late = `settled after ${Math.round(tookMs)} ms, the deadline was ${this.deadlineMs} ms`;
      this.problems.push(`${node} asked for ${destination}: ${late}`);
    }
  }
}

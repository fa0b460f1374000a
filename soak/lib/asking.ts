import type { Resolver } from "@verbena/core";
import { VerbenaError } from "@verbena/ib";
import { machineMs } from "./machine-clock.js";
import type { Answer } from "./path-oracle.js";
import { Stalls } from "./stalls.js";

/** How long a request may take beyond its deadline, and a daemon to read what it was told, on an idle machine. */
const GRACE_MS = 200;
/** What was told earlier than this has been read, however slow the machine. */
const LOOK_BACK_MS = 1_000;
const MOST_OPEN = 48;

export interface Question {
  readonly node: string;
  readonly destination: string;
  /** Host that the destination names, where it does. */
  readonly wanted?: string;
}

/** Asks resolvers, and keeps what they answered for the judge. */
export class Asking {
  readonly answers: Answer[] = [];
  readonly failures = new Map<string, number>();
  readonly problems: string[] = [];
  readonly #open = new Set<Promise<void>>();
  readonly #stalls = new Stalls();

  constructor(
    private readonly resolvers: ReadonlyMap<string, Resolver>,
    private readonly deadlineMs: number,
  ) {}

  /** How late something that began at `fromMs` may be. */
  graceMs(fromMs: number): number {
    return GRACE_MS + this.#stalls.since(fromMs);
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

  /** How many answers there are to judge, and what the others were. */
  summary(): string {
    const failed = [...this.failures].map(([code, times]) => `${code} ${times}`).join(", ");
    return `${this.answers.length} answers judged, failures: ${failed || "none"}`;
  }

  stop(): void {
    this.#stalls.stop();
  }

  async #one({ node, destination, wanted }: Question): Promise<void> {
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
          node,
          destination,
          path,
          atMs,
          graceMs: this.graceMs(atMs - LOOK_BACK_MS),
          ...(wanted === undefined ? {} : { wanted }),
        });
    } catch (error) {
      if (!VerbenaError.is(error)) throw error;
      this.failures.set(error.code, (this.failures.get(error.code) ?? 0) + 1);
    }
    const tookMs = machineMs() - begin;
    if (tookMs > this.deadlineMs + this.graceMs(begin)) {
      const late = `settled after ${Math.round(tookMs)} ms, the deadline was ${this.deadlineMs} ms`;
      this.problems.push(`${node} asked for ${destination}: ${late}`);
    }
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { cliError } from "../errors.js";
import { programPath } from "./program-path.js";

/** How to run a command of this program. */
export interface ChildOptions {
  /** Environment beside this process's own. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Called with each line of standard output, the ready line included. */
  readonly onLine?: (line: string) => void;
  /** Called with each line of standard error: a daemon's log, if it goes there. */
  readonly onErrorLine?: (line: string) => void;
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How long a process may take to end after SIGTERM, milliseconds; a daemon's own deadline is shorter. */
const STOP_MS = 10_000;
/** So much of standard error is kept for the report of a failure, characters. */
const KEPT_ERRORS = 8192;

/** A long-running command of this program in a process of its own: it has said `ready` and runs until it is stopped. */
export class ReadyChild implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #ended: Promise<Ending>;
  #errors = "";

  private constructor(words: readonly string[], options: ChildOptions) {
    this.#process = spawn(process.execPath, [programPath(), ...words], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...options.env },
      cwd: options.cwd,
    });
    if (this.#process.stderr !== null) {
      createInterface({ input: this.#process.stderr }).on("line", (line) => {
        options.onErrorLine?.(line);
        this.#errors = `${this.#errors}${line}\n`.slice(-KEPT_ERRORS);
      });
    }
    this.#ended = new Promise((resolve, reject) => {
      this.#process.once("error", reject);
      // `close`: all it has written has been read.
      this.#process.once("close", (code, signal) => {
        resolve({ code, signal });
      });
    });
    this.#ended.catch(() => undefined);
  }

  /** Starts a command and waits for its line `ready …`. Rejects with VERBENA_CLI_CHILD if it ends before. */
  static async start(words: readonly string[], options: ChildOptions = {}): Promise<ReadyChild> {
    const child = new ReadyChild(words, options);
    const isReady = new Promise<true>((resolve) => {
      if (child.#process.stdout === null) return;
      createInterface({ input: child.#process.stdout }).on("line", (line) => {
        options.onLine?.(line);
        if (/^ready\b/.test(line)) resolve(true);
      });
    });
    const first = await Promise.race([isReady, child.#ended]);
    if (first === true) return child;
    throw child.failure(words, first);
  }

  /** Settles when it has ended and all it wrote was read. */
  get ended(): Promise<Ending> {
    return this.#ended;
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Asks it to end, then makes it. Idempotent. */
  async stop(): Promise<Ending> {
    this.#process.kill("SIGTERM");
    const force = setTimeout(() => this.#process.kill("SIGKILL"), STOP_MS);
    try {
      return await this.#ended;
    } finally {
      clearTimeout(force);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private failure(words: readonly string[], { code, signal }: Ending): Error {
    const command = words.slice(0, 2).join(" ");
    const reason = this.#errors.trim() === "" ? "it said nothing" : this.#errors.trim();
    return cliError("VERBENA_CLI_CHILD", { details: { command, status: code ?? signal ?? "unknown", reason } });
  }
}

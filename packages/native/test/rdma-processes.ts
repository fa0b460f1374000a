import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fixtureProgram } from "./fixture-program.js";
import type { Rig } from "./rig.js";

/** What test/fixtures/rdma-process.ts tells at its end. */
export interface ProcessReport {
  /** Numbers of its queue pairs. */
  readonly qpns: readonly number[];
  /** Of each of its queues: `wrId` of the completions, in order. */
  readonly seen: readonly (readonly number[])[];
  /** Completions that failed or were of a queue pair that is not the queue's. */
  readonly strangers: number;
  /** Events that it read. */
  readonly events: number;
}

/** A process on the device of a rig, with traffic of its own. */
export class PeerProcess {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #stderr = "";

  private constructor(rig: Rig, rounds: number) {
    const { path, execArgv } = fixtureProgram("rdma-process");
    const args = [...execArgv, path, rig.device, JSON.stringify(rig.options), String(rounds)];
    this.#child = spawn(process.execPath, args, { stdio: "pipe" });
    this.#child.stderr?.on("data", (text: Buffer) => {
      this.#stderr += text.toString();
    });
    if (this.#child.stdout === null) throw new Error("no standard output");
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Resolves once it has everything open and waits for `go()`. 0 rounds are without end. */
  static async start(rig: Rig, rounds: number): Promise<PeerProcess> {
    const peer = new PeerProcess(rig, rounds);
    await peer.expect("ready");
    return peer;
  }

  go(): void {
    this.#child.stdin?.write("go\n");
  }

  /** Waits for a line that it prints. */
  async expect(line: string): Promise<void> {
    const next = await this.#lines.next();
    if (next.value !== line) throw new Error(`${String(next.value)} in place of ${line}: ${this.#stderr}`);
  }

  /** What it prints at its end. */
  async report(): Promise<ProcessReport> {
    const next = await this.#lines.next();
    if (next.done === true) throw new Error(`it ended without a report: ${this.#stderr}`);
    await this.#ended();
    return JSON.parse(next.value) as ProcessReport;
  }

  /** Ends it in the middle of what it does. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended();
  }

  async #ended(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";

/** Build folder of the library: VERBENA_FABRICSIM_DIR (a sanitizer build), else the release build. */
function buildFolder(): string {
  return process.env["VERBENA_FABRICSIM_DIR"] ?? join(__dirname, "../../build/Release");
}

/** Path of something built; says how to build it if it is missing. */
export function built(name: string): string {
  const path = join(buildFolder(), name);
  if (!existsSync(path))
    throw new Error(`${path} is missing; build it with: pnpm --filter @verbena/fabric-sim build:native`);
  return path;
}

/** True where the test programs could also be linked with the system's libibumad and libibverbs. */
export function hasLinkedPrograms(): boolean {
  return existsSync(join(buildFolder(), "umad-peer-linked"));
}

/** A test program on a simulated node. */
export class Program {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  #stderr = "";
  readonly #ended: Promise<unknown[]>;

  /** `linked`: bound to the system's libraries and diverted by LD_PRELOAD, instead of loading ours by itself. */
  constructor(
    name: string,
    args: readonly string[],
    options: { readonly directory: string; readonly node: string; readonly linked?: boolean },
  ) {
    const library = built("libfabricsim.so");
    const preloads = [process.env["LD_PRELOAD"], options.linked === true ? library : undefined];
    this.#child = spawn(built(options.linked === true ? `${name}-linked` : name), args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        ...process.env,
        FABRICSIM_DIR: options.directory,
        FABRICSIM_NODE: options.node,
        LIBFABRICSIM: library,
        LD_PRELOAD: preloads.filter((path) => path !== undefined && path !== "").join(":"),
      },
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr += chunk.toString();
    });
    this.#ended = once(this.#child, "close");
    if (this.#child.stdout === null) throw new Error("no standard output");
    this.#reader = createInterface({ input: this.#child.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** Its next line of output, or what it wrote to standard error if it ended. */
  async line(): Promise<string> {
    const next = await this.#lines.next();
    return next.done === true ? `ended: ${this.#stderr}` : next.value;
  }

  /** Writes a line to its standard input. */
  say(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Ends its standard input, which tells it to finish. */
  endInput(): void {
    this.#child.stdin?.end();
  }

  /** Kills it, as an operator or a crash would, and waits until it is gone. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  /** The remaining lines once it has ended; fails with its standard error unless it ended with status 0. */
  async rest(): Promise<string[]> {
    const lines: string[] = [];
    for (;;) {
      const next = await this.#lines.next();
      if (next.done === true) break;
      lines.push(next.value);
    }
    const [status, signal] = await this.#ended;
    if (status !== 0) throw new Error(`ended with ${String(status ?? signal)}: ${this.#stderr}`);
    return lines;
  }
}

import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { packageFolder } from "../../../package-folder.js";
import { type LookOrder, type LookReport, type LookSections, SECTIONS } from "./look-message.js";

type Section = keyof LookSections;

interface Waiting {
  readonly promise: Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * Files that may lie on a dead mount, and everything native, looked at by a process of its own: whatever hangs there can be ended. Each
 * section settles when it is known, or that process has ended.
 */
export class LookProcess implements Disposable {
  readonly #sections: Readonly<Record<Section, Waiting>>;
  readonly #child: ChildProcess;

  constructor(order: LookOrder, env: NodeJS.ProcessEnv = process.env, entry = entryPath()) {
    this.#sections = Object.fromEntries(SECTIONS.map((section) => [section, waiting()])) as Record<Section, Waiting>;
    const child = fork(entry, [], { env, stdio: ["ignore", "ignore", "pipe", "ipc"] });
    this.#child = child;
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-2000);
    });
    child.on("message", (message) => {
      this.#take(message as LookReport);
    });
    child.once("error", (error) => {
      this.#fail(error);
    });
    child.once("close", (code, signal) => {
      const how = signal === null ? `status ${String(code)}` : `signal ${signal}`;
      const last = said.trim().split("\n").at(-1) ?? "";
      this.#fail(new Error(`the process that looks at the libraries ended (${how})${last === "" ? "" : `: ${last}`}`));
    });
    child.send(order);
  }

  /** What there is to see, once it is known. */
  section<K extends Section>(section: K): Promise<LookSections[K]> {
    return this.#sections[section].promise as Promise<LookSections[K]>;
  }

  /** Ends the process, whatever it is doing, and does not wait for it. */
  [Symbol.dispose](): void {
    const child = this.#child;
    child.removeAllListeners();
    child.stderr?.destroy();
    if (child.connected) child.disconnect();
    child.kill("SIGKILL");
    child.unref();
  }

  #take(report: LookReport): void {
    const waiting = this.#sections[report.section];
    if ("value" in report) waiting.resolve(report.value);
    else waiting.reject(Object.assign(new Error(report.error.message), { hint: report.error.hint }));
  }

  /** What is known stays. */
  #fail(error: Error): void {
    for (const section of SECTIONS) this.#sections[section].reject(error);
  }
}

/** The built file: this one may run from its source. */
function entryPath(): string {
  return join(packageFolder(), "dist", "commands", "doctor", "system", "look-entry.js");
}

function waiting(): Waiting {
  let settle: Pick<Waiting, "resolve" | "reject"> | undefined;
  const promise = new Promise<unknown>((resolve, reject) => {
    settle = { resolve, reject };
  });
  promise.catch(() => undefined);
  return {
    promise,
    resolve: (value) => settle?.resolve(value),
    reject: (error) => settle?.reject(error),
  };
}

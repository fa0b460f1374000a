import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const root = resolve(__dirname, "../..");

/** Runs the commands of a document from the root of the clone, as they stand there but for the paths in /tmp. */
export class DocumentedCommands {
  /** Stands for /tmp. */
  readonly folder = mkdtempSync(join(tmpdir(), "verbena-document-"));
  readonly #background: ChildProcess[] = [];
  readonly #text: string;

  /** `heading`: of the one section that is meant; by default the whole document. */
  constructor(path: string, heading?: string) {
    const text = readFileSync(join(root, path), "utf8");
    this.#text = heading === undefined ? text : (text.split(/^## /m).find((part) => part.startsWith(heading)) ?? "");
  }

  /** The blocks of a language, in order. */
  blocks(language: string): readonly string[] {
    return [...this.#text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, text]) =>
      (text ?? "").replaceAll("/tmp/", `${this.folder}/`),
    );
  }

  /** Runs a block; waits until what it leaves in the background says `word`. Returns what the rest printed. */
  async play(block: string | undefined, word = "ready"): Promise<string> {
    const text = (block ?? "").trim();
    const lines = text.split("\n");
    const last = lines.at(-1) ?? "";
    if (!last.endsWith(" &")) return (await promisify(execFile)("bash", ["-ec", text], { cwd: root })).stdout;
    const before = lines.slice(0, -1).join("\n");
    const { stdout } = await promisify(execFile)("bash", ["-ec", before], { cwd: root });
    await this.#start(last.slice(0, -2), word);
    return stdout;
  }

  async #start(command: string, word: string): Promise<void> {
    const child = spawn("bash", ["-c", `exec ${command}`], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    this.#background.push(child);
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString();
    });
    const lines = createInterface(child.stdout);
    for await (const line of lines) {
      if (!line.trim().startsWith(word)) continue;
      // The reader has paused the stream as it closed; a program that goes on printing must not find a full pipe.
      child.stdout.resume();
      return;
    }
    throw new Error(`${command}\n${errors}`);
  }

  /** Ends what is in the background, the youngest first. */
  async close(): Promise<void> {
    for (const child of this.#background.reverse()) {
      const gone = once(child, "exit");
      if (child.exitCode === null && child.signalCode === null && child.kill("SIGTERM")) await gone;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

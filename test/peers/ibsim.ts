import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { find } from "./sim-programs.js";

const PRELOAD = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
  .map((folder) => join(folder, "umad2sim/libumad2sim.so"))
  .find((path) => existsSync(path));

/** Why tests on ibsim cannot run here; empty when they can. */
export const ibsimMissing = [
  ...["ibsim", "opensm", "saquery"].filter((program) => find(program) === undefined),
  ...(PRELOAD === undefined ? ["libumad2sim.so"] : []),
].join(", ");

/** The independent simulator with a real OpenSM on one of its nodes. */
export class Ibsim {
  readonly #started: ChildProcess[] = [];
  readonly #name: string;

  private constructor(readonly dir: string) {
    this.#name = `verbena-${process.pid}`;
  }

  /** Starts ibsim on the net and OpenSM on the node, and waits until the subnet is up. */
  static async start(net: string, smNode: string): Promise<Ibsim> {
    const ibsim = new Ibsim(mkdtempSync(join(tmpdir(), "verbena-ibsim-")));
    await ibsim.#start(net, smNode);
    return ibsim;
  }

  /** What makes a process a program of that node. */
  environment(node: string): NodeJS.ProcessEnv {
    return { IBSIM_SOCKNAME: this.#name, LD_PRELOAD: PRELOAD ?? "", SIM_HOST: node };
  }

  /** Ends everything, last started first. */
  async stop(): Promise<void> {
    for (const child of this.#started.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, "exit");
      child.kill();
      await ended;
    }
    rmSync(this.dir, { recursive: true, force: true });
  }

  async #start(net: string, smNode: string): Promise<void> {
    writeFileSync(join(this.dir, "net"), net);
    // Unbuffered, or its prompt, which says that it is ready, would stay in its buffer.
    const ibsim = spawn("stdbuf", ["-o0", "ibsim", "-s", join(this.dir, "net")], {
      env: { ...process.env, IBSIM_SOCKNAME: this.#name },
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#started.push(ibsim);
    await printed(ibsim, "sim>");
    const log = join(this.dir, "opensm.log");
    writeFileSync(log, "");
    // Without it OpenSM keeps the line we wait for in its buffer.
    writeFileSync(join(this.dir, "opensm.conf"), "force_log_flush TRUE\n");
    const up = contains(log, "SUBNET UP");
    const opensm = spawn(find("opensm") ?? "opensm", ["-F", join(this.dir, "opensm.conf"), "-f", log], {
      // Folders of its own: OpenSM would remember LIDs of other fabrics in the system's, and leave those of this one there.
      env: { ...process.env, ...this.environment(smNode), OSM_TMP_DIR: this.dir, OSM_CACHE_DIR: this.dir },
      stdio: "ignore",
    });
    this.#started.push(opensm);
    await up;
  }
}

/** Waits until a program has printed a text. */
export function printed(child: ChildProcess, text: string): Promise<void> {
  let seen = "";
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      seen += chunk.toString();
      if (seen.includes(text)) resolve();
    });
    child.once("exit", () => {
      reject(new Error(`ended before it printed ${text}: ${seen}`));
    });
  });
}

/** Waits until a file contains a text. */
function contains(path: string, text: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(path, () => {
      if (!readFileSync(path, "utf8").includes(text)) return;
      watcher.close();
      resolve();
    });
  });
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { find, nodeVariables } from "./sim-programs.js";

/** How to start an OpenSM. */
export interface OpenSmOptions {
  /** Directory of our fabric. */
  readonly fabric: string;
  readonly node: string;
  /** Lines of its configuration file. */
  readonly options?: readonly string[];
  /** Text of a partitions file. */
  readonly partitions?: string;
  /** Text of a torus-2QoS.conf, whose routing engine it then uses. */
  readonly torus?: string;
  /** LIDs that it takes from its file of earlier ones: port GUID to LID. */
  readonly lids?: ReadonlyMap<string, number>;
}

/** Debian's OpenSM on a node of our fabric. Its files are in a directory of its own below the fabric's. */
export class OpenSm {
  readonly #child: ChildProcess;
  readonly #dir: string;
  readonly #waiting = new Set<() => void>();
  readonly #ended: Promise<unknown>;
  #log = "";
  #read = 0;

  private constructor({ fabric, node, options = [], partitions, torus, lids }: OpenSmOptions) {
    this.#dir = mkdtempSync(join(fabric, "..", "opensm-"));
    const conf = join(this.#dir, "opensm.conf");
    const extra = partitions === undefined ? [] : [`partition_config_file ${join(this.#dir, "partitions.conf")}`];
    if (torus !== undefined) {
      const file = join(this.#dir, "torus-2QoS.conf");
      writeFileSync(file, torus);
      extra.push("routing_engine torus-2QoS", `torus_config ${file}`, "qos TRUE");
    }
    if (lids !== undefined) {
      extra.push("honor_guid2lid_file TRUE");
      writeFileSync(join(this.#dir, "guid2lid"), [...lids].map(([guid, lid]) => `${guid} ${lid} ${lid}\n`).join("\n"));
    }
    writeFileSync(conf, ["force_log_flush TRUE", ...extra, ...options, ""].join("\n"));
    if (partitions !== undefined) writeFileSync(join(this.#dir, "partitions.conf"), partitions);
    this.#child = spawn(find("opensm") ?? "opensm", ["-F", conf, "-f", "-"], {
      cwd: this.#dir,
      env: {
        ...process.env,
        ...nodeVariables(fabric, node),
        OSM_TMP_DIR: this.#dir,
        OSM_CACHE_DIR: this.#dir,
      },
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#ended = once(this.#child, "exit");
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      this.#log += chunk.toString("utf8");
      for (const look of [...this.#waiting]) look();
    });
  }

  /** Starts it and waits until the subnet is up. */
  static async up(options: OpenSmOptions): Promise<OpenSm> {
    const opensm = new OpenSm(options);
    await opensm.logs("SUBNET UP");
    return opensm;
  }

  /** Starts it and waits until it stands by for another master. */
  static async standby(options: OpenSmOptions): Promise<OpenSm> {
    const opensm = new OpenSm(options);
    await opensm.logs("Entering STANDBY state");
    return opensm;
  }

  /** Waits until it logs the text, again if it did before an earlier call returned. */
  logs(text: string): Promise<void> {
    return new Promise((settle, reject) => {
      const look = () => {
        const at = this.#log.indexOf(text, this.#read);
        if (at < 0) return;
        this.#read = at + text.length;
        this.#waiting.delete(look);
        settle();
      };
      this.#waiting.add(look);
      this.#child.once("exit", () => {
        reject(new Error(`OpenSM ended before it logged "${text}":\n${this.#log}`));
      });
      look();
    });
  }

  /** Has it look at the whole fabric anew, and waits until it has. */
  async sweep(): Promise<void> {
    this.#read = this.#log.length;
    this.#child.kill("SIGHUP");
    await this.logs("SUBNET UP");
  }

  /** Ends it, by a signal that it cannot refuse unless `signal` says otherwise, and removes its files. */
  async stop(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    this.#child.kill(signal);
    await this.#ended;
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

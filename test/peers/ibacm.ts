import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AcmNode, addressFile } from "./acm-node.js";
import { find, missing, nodeVariables } from "./sim-programs.js";
import { WatchedLog } from "./watched-log.js";

/** `unshare` for a mount namespace; who is not root becomes so in a user namespace first. */
const UNSHARE = ["--mount", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"])];
/** Its socket has a fixed path in /run, so each gets a /run of its own. */
const OWN_RUN = 'mount -t tmpfs tmpfs /run && exec "$@"';

/** Why Debian's ibacm cannot run here, or `undefined`. */
export function missingIbacm(): string | undefined {
  const absent = missing("ibacm", "ib_acme", "unshare", "mount");
  if (absent !== undefined) return absent;
  const { status } = spawnSync("unshare", [...UNSHARE, "sh", "-c", OWN_RUN, "sh", "true"]);
  return status === 0 ? undefined : "a mount namespace of its own needs root or user namespaces";
}

/** How to start an ibacm. */
export interface IbacmOptions {
  /** Directory of our fabric. */
  readonly fabric: string;
  readonly node: string;
  /** Names, IPv4 and IPv6 addresses of the host: interfaces of IPoIB are none on simulated hosts, so the address file has all. */
  readonly addresses: readonly string[];
  /** Lines of its options file. */
  readonly options?: readonly string[];
}

/** Debian's ibacm on a node of our fabric, with a /run of its own. Its files are in a directory of its own beside the fabric's. */
export class Ibacm implements AcmNode {
  readonly log: WatchedLog;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #dir: string;

  private constructor(private readonly options: IbacmOptions) {
    const { fabric, node, addresses, options: lines = [] } = options;
    this.#dir = mkdtempSync(join(fabric, "..", "ibacm-"));
    const write = (name: string, text: string): string => {
      writeFileSync(join(this.#dir, name), text);
      return join(this.#dir, name);
    };
    const own = ["log_file stdout", "log_level 2", `lock_file ${join(this.#dir, "lock")}`, "support_ips_in_addr_cfg 1"];
    const files = [
      ...["-A", write("addresses", addressFile(addresses))],
      ...["-O", write("options", [...own, ...lines, ""].join("\n"))],
    ];
    this.#child = spawn("unshare", [...UNSHARE, "sh", "-c", OWN_RUN, "sh", find("ibacm") ?? "ibacm", "-P", ...files], {
      env: { ...process.env, ...nodeVariables(fabric, node) },
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#ended = once(this.#child, "exit");
    if (this.#child.stdout === null) throw new Error("no standard output");
    this.log = new WatchedLog(this.#child.stdout);
  }

  /** Starts it and waits until it listens and has joined its groups. */
  static async start(options: IbacmOptions): Promise<Ibacm> {
    const ibacm = new Ibacm(options);
    await ibacm.log.until(
      (log) => log.count("listen active") > 0 && log.count("join successful") >= log.count("acmp_init_join:"),
      "it was ready",
    );
    return ibacm;
  }

  get node(): string {
    return this.options.node;
  }

  get socket(): string {
    return `/proc/${this.#child.pid}/root/run/ibacm-unix.sock`;
  }

  /** Kills it and starts another with the same files' contents. */
  async restarted(options: Partial<IbacmOptions> = {}): Promise<Ibacm> {
    await this[Symbol.asyncDispose]();
    return Ibacm.start({ ...this.options, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

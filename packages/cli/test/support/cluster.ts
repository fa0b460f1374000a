import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type FabricStatus,
  formatTopology,
  type RunningFabric,
  SimControlClient,
  startFabric,
  startFabricThread,
  twoLevel,
} from "@verbena/fabric-sim";
import { Gid } from "@verbena/ib";
import { type Served, startServe } from "./serve.js";

export interface ClusterOptions {
  readonly hosts: number;
  /** Lines `NODE[PORT] IP/PREFIX [PKEY]`. */
  readonly addresses?: readonly string[];
  /** Hosts with a cable of 10 Gb/s; the others have 100. */
  readonly slowHosts?: readonly string[];
  readonly timeScale?: number;
  /** The fabric gets a thread of its own: this process may be on it too. */
  readonly isThread?: boolean;
}

/** A simulated fabric in this process, and daemons of the built program on it. */
export class Cluster implements AsyncDisposable {
  readonly dir = mkdtempSync(join(tmpdir(), "cli-"));
  readonly #open: AsyncDisposable[] = [];
  #sim: SimControlClient | undefined;
  #status: FabricStatus | undefined;

  static async start(options: ClusterOptions): Promise<Cluster> {
    const cluster = new Cluster();
    const { hosts, addresses = [], slowHosts = [], timeScale = 1, isThread = false } = options;
    const fabric: RunningFabric = await (isThread ? startFabricThread : startFabric)({
      topology: slowed(formatTopology(twoLevel({ hosts })), slowHosts),
      dir: cluster.fabric,
      timeScale,
      addressesFile: cluster.write("addresses", `${addresses.join("\n")}\n`),
    });
    cluster.#sim = await SimControlClient.connect(cluster.fabric);
    cluster.#open.push(fabric, cluster.#sim);
    cluster.#status = await cluster.#sim.request({ op: "status" });
    return cluster;
  }

  get fabric(): string {
    return join(this.dir, "fabric");
  }

  get sim(): SimControlClient {
    if (this.#sim === undefined) throw new Error("not started");
    return this.#sim;
  }

  /** LID of a host's port as the subnet manager assigned it. */
  lid(node: string): number {
    return this.#port(node).lid;
  }

  gid(node: string): string {
    return Gid.format(Gid.of(Gid.linkLocalPrefix, BigInt(this.#port(node).guid)));
  }

  path(name: string): string {
    return join(this.dir, name);
  }

  /** Writes a file; gives its path. */
  write(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  /** `addr_data_file` or `files.hosts` of the given addresses. */
  writeHosts(name: string, addresses: Readonly<Record<string, string>>): string {
    return this.write(
      name,
      Object.entries(addresses)
        .map(([address, node]) => `${address} ${this.gid(node)}\n`)
        .join(""),
    );
  }

  /** Starts `serve` on a node with a socket and an address file of its own, `words` besides. */
  async serve(
    node: string,
    words: readonly string[] = [],
    options: { readonly names?: readonly string[] } = {},
  ): Promise<Served> {
    const socket = this.path(`${node}.sock`);
    const names = options.names ?? [node];
    const file = this.write(`${node}.names`, names.map((name) => `${name} sim0 1 default\n`).join(""));
    const served = await startServe(["--fabric", this.fabric, "--node", node, "-A", file, ...words], socket);
    this.#open.push(served);
    return served;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#open.splice(0).reverse()) await one[Symbol.asyncDispose]();
    rmSync(this.dir, { recursive: true, force: true });
  }

  #port(node: string): FabricStatus["nodes"][number]["ports"][number] {
    const port = this.#status?.nodes.find(({ id }) => id === node)?.ports[0];
    if (port === undefined) throw new Error(`no port of ${node}`);
    return port;
  }
}

/** The net file with the cables of some hosts at 4xSDR: at the switch's end, whose comment belongs to the cable. */
function slowed(text: string, hosts: readonly string[]): string {
  return text
    .split("\n")
    .map((line) => (hosts.some((host) => line.includes(`"${host}"[`)) ? line.replace("4xEDR", "4xSDR") : line))
    .join("\n");
}

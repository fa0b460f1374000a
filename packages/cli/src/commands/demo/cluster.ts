import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AddressMessage, formatTopology, SimControlClient, type Topology, twoLevel } from "@verbena/fabric-sim";
import { ReadyChild } from "../../process/child.js";

/** Where one daemon of the demonstration runs. */
export interface DemoHost {
  /** Topology id: `H1`. */
  readonly node: string;
  /** `node1` */
  readonly name: string;
  readonly socket: string;
}

const HOSTS = 8;
const ADDRESSES = "cluster.addr";

/** IPs of host number `n`. */
function addressesOf(n: number): readonly string[] {
  return [`192.0.2.${String(n)}/24`, `2001:db8::${String(n)}/64`];
}

/** A simulated cluster of eight hosts with a daemon on the first and on the last, all in processes of their own. */
export class DemoCluster implements AsyncDisposable {
  /** In the order of their start; they end in the reverse one. */
  readonly #children: ReadyChild[] = [];
  readonly topology: Topology = twoLevel({ hosts: HOSTS });

  private constructor(
    /** Folder of everything; removed at the end. */
    readonly dir: string,
    readonly daemons: readonly [DemoHost, DemoHost],
  ) {}

  /** Directory of the fabric, for `sim exec` and `sim ctl`. */
  get fabric(): string {
    return join(this.dir, "fabric");
  }

  static async start(): Promise<DemoCluster> {
    const dir = await mkdtemp(join(tmpdir(), "verbena-demo-"));
    const host = (n: number): DemoHost => ({
      node: `H${String(n)}`,
      name: `node${String(n)}`,
      socket: join(dir, `node${String(n)}.sock`),
    });
    const cluster = new DemoCluster(dir, [host(1), host(HOSTS)]);
    try {
      await cluster.#start();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Settles when a process has ended that should run on. */
  async aProcessEnds(): Promise<void> {
    await Promise.race(this.#children.map(({ ended }) => ended));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children.splice(0).reverse()) await child.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    await this.#write("cluster.net", formatTopology(this.topology));
    await this.#write(ADDRESSES, addressLines());
    await this.#run(["sim", "run", "cluster.net", "--dir", "fabric", "--addresses", ADDRESSES]);
    await using control = await SimControlClient.connect(this.fabric);
    const { addresses } = await control.request({ op: "addresses" });
    await this.#write("hosts.data", hostsFile(addresses));
    await Promise.all(this.daemons.map((host) => this.#serve(host)));
  }

  async #serve({ node, name, socket }: DemoHost): Promise<void> {
    await this.#write(`${name}.names`, `${name} sim0 1 default\n`);
    await this.#write(
      `${name}.yaml`,
      `daemon: { socket: ${JSON.stringify(socket)}, logFile: ${name}.log }\nfiles: { addresses: ${name}.names, hosts: hosts.data }\n`,
    );
    await this.#run(["serve", "--config", `${name}.yaml`, "--fabric", "fabric", "--node", node]);
  }

  async #run(words: readonly string[]): Promise<void> {
    this.#children.push(await ReadyChild.start(words, { cwd: this.dir }));
  }

  #write(file: string, text: string): Promise<void> {
    return writeFile(join(this.dir, file), text);
  }
}

function addressLines(): string {
  return Array.from({ length: HOSTS }, (_, index) =>
    addressesOf(index + 1)
      .map((address) => `H${String(index + 1)} ${address}\n`)
      .join(""),
  ).join("");
}

/** What `addr_preload acm_hosts` reads: how the daemons know the IPs of the other hosts. */
function hostsFile(addresses: readonly AddressMessage[]): string {
  return addresses.map(({ address, gid }) => `${address} ${gid}\n`).join("");
}

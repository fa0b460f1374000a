import { type LoggedPath, SimControlClient, type Topology } from "@verbena/fabric-sim";
import { type AcmNode, acme, addressesOf } from "./acm-node.js";
import { type ShownPath, shownPaths } from "./acme-output.js";
import { Ibacm } from "./ibacm.js";
import { groupsReach } from "./multicast-tree.js";
import { OpenSm, type OpenSmOptions } from "./opensm.js";
import { PeerFabric } from "./peer-fabric.js";
import { VerbenaNode } from "./verbena-node.js";

/** Who manages the fabric and is its subnet administrator. */
export type Manager = "built-in" | "opensm";

export interface AcmFabricOptions {
  /** Of what the fabric does by lot. */
  readonly seed?: number;
  /** Of the OpenSM, if that is the manager. */
  readonly opensm?: Pick<OpenSmOptions, "options" | "torus">;
}

/** In which form a destination is asked for, and from which source of the same form. */
export const FORMS = ["name", "IPv4", "IPv6"] as const;
export type Form = (typeof FORMS)[number];

/** Groups that hosts with ports of one speed are in: with paths made of groups there is one of the ports' speed beside the base group. */
export function groupCount(routes: string): number {
  return routes === "acm" ? 2 : 1;
}

/** Our simulated fabric of hosts H1, H2, … with a manager, and services on hosts that `ib_acme` can ask. */
export class AcmFabric implements AsyncDisposable {
  readonly #nodes = new Map<number, AcmNode>();
  #opensm: OpenSm | undefined;

  private constructor(
    readonly fabric: PeerFabric,
    readonly sim: SimControlClient,
  ) {}

  static async start(
    topology: Topology | string,
    manager: Manager,
    { seed, opensm }: AcmFabricOptions = {},
  ): Promise<AcmFabric> {
    const fabric = await PeerFabric.start(topology, manager === "built-in" ? "builtin" : "opensm", seed);
    const self = new AcmFabric(fabric, await SimControlClient.connect(fabric.dir));
    if (manager === "opensm") self.#opensm = await OpenSm.up({ ...opensm, fabric: fabric.dir, node: "H1" });
    return self;
  }

  get dir(): string {
    return this.fabric.dir;
  }

  /** Numbers of the hosts with a service, ascending. */
  get hosts(): readonly number[] {
    return [...this.#nodes.keys()].sort((a, b) => a - b);
  }

  node(host: number): AcmNode {
    const node = this.#nodes.get(host);
    if (node === undefined) throw new Error(`nothing runs on H${host}`);
    return node;
  }

  /** Starts Debian's ibacm on a host. */
  async ibacm(
    host: number,
    options: readonly string[] = [],
    addresses: readonly string[] = addressesOf(host),
  ): Promise<Ibacm> {
    const ibacm = await Ibacm.start({ fabric: this.dir, node: `H${host}`, options, addresses });
    this.#nodes.set(host, ibacm);
    return ibacm;
  }

  /** Starts `verbena serve` on a host. */
  async verbena(
    host: number,
    options: readonly string[] = [],
    addresses: readonly string[] = addressesOf(host),
    config?: string,
  ): Promise<VerbenaNode> {
    const own = { fabric: this.dir, node: `H${host}`, options, addresses };
    const node = await VerbenaNode.start(config === undefined ? own : { ...own, config });
    this.#nodes.set(host, node);
    return node;
  }

  /** Starts the service of a host anew, with other names and addresses if so told. */
  async restart(host: number, addresses?: readonly string[]): Promise<AcmNode> {
    const node = await this.node(host).restarted(addresses === undefined ? {} : { addresses });
    this.#nodes.set(host, node);
    return node;
  }

  /** Waits until multicast packets between the hosts with a service arrive, in so many groups: all that all of them are in. */
  async groupsReach(count = 1): Promise<void> {
    await groupsReach(
      this.dir,
      this.hosts.map((host) => `H${host}`),
      count,
    );
    for (const node of this.#nodes.values()) if (node instanceof VerbenaNode) await node.groupsJoined();
  }

  /** Asks the service of a host by `ib_acme -v` for others, all at once in one run. */
  async ask(from: number, to: readonly number[], form: Form): Promise<readonly ShownPath[]> {
    const at = FORMS.indexOf(form);
    const base = (addressesOf(0)[at] ?? "").slice(0, -1);
    const words = ["-v", "-f", form === "name" ? "n" : "i", "-s", `${base}${from}`, "-d", `${base}[${to.join(",")}]`];
    return shownPaths(await acme(this.node(from), ...words));
  }

  /** Ends the OpenSM once another stands by on a host, which manages the fabric from then on. */
  async handOver(host: number): Promise<void> {
    const polling = ["sminfo_polling_timeout 500", "polling_retry_number 2"];
    const next = await OpenSm.standby({ fabric: this.dir, node: `H${host}`, options: polling });
    await this.#opensm?.stop();
    this.#opensm = next;
    await next.logs("SUBNET UP");
  }

  /** What a right answer is, by the tables of the fabric of this moment; `at`: where the addresses of `to` are now. */
  async expected(from: number, to: number, form: Form, at = to): Promise<ShownPath> {
    const { paths } = await this.sim.request({ op: "paths", from: `H${from}`, to: `H${at}` });
    const [path] = paths;
    if (path === undefined) throw new Error(`no path from H${from} to H${at}`);
    const index = FORMS.indexOf(form);
    return {
      destination: addressesOf(to)[index] ?? "",
      sources: [addressesOf(from)[index] ?? ""],
      fields: shownFields(path),
      verification: "success",
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of [...this.#nodes.values()].reverse()) await node[Symbol.asyncDispose]();
    await this.#opensm?.stop();
    await this.sim.close();
    await this.fabric.stop();
  }
}

/** The fields that follow from the tables; the others are the administrator's choice. */
function shownFields({ sgid, dgid, slid, dlid, mtu, rate, pkeys }: LoggedPath): ShownPath["fields"] {
  return {
    ...{ dgid, sgid, dlid: String(dlid), slid: String(slid), reversible: "1", sl: "0" },
    ...{ pkey: pkeys[0] ?? "", mtu: String(mtu), rate: String(rate) },
  };
}

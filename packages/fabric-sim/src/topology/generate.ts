import { Guid, LinkSpeed, LinkWidth, Mtu, PKey } from "@verbena/ib";
import { checkOptions } from "../check-options.js";
import { simError } from "../errors.js";
import { type LinkRate, masksUpTo, parseLinkRate } from "./link-speed.js";
import type { LinkEnd, NodeKind, Topology, TopologyNode, TopologyPort } from "./model.js";

/** What the generators share. */
export interface GenerateOptions {
  /** Rate of every link, as ibnetdiscover writes it. Default `4xEDR`. */
  readonly rate?: string;
  /** MTU of every port in bytes. Default 4096. */
  readonly mtuBytes?: number;
  /** LID mask control of the hosts' ports. Default 0. */
  readonly lmc?: number;
  /** P_Key table of every node. Default only 0xffff. */
  readonly pkeys?: readonly PKey[];
}

/** Sizes of a two-level fat tree. */
export interface FatTreeOptions extends GenerateOptions {
  /** Number of hosts, spread evenly over the leaf switches in order. */
  readonly hosts: number;
  readonly leafs: number;
  readonly spines: number;
  /** Links from each leaf to each spine. Default 1. */
  readonly linksPerSpine?: number;
}

/** Sizes of a two-level tree with a single top switch. */
export interface TwoLevelOptions extends GenerateOptions {
  readonly hosts: number;
  /** Hosts on one leaf switch. Default 4. */
  readonly hostsPerLeaf?: number;
}

const MAX_PORTS = 254;
const SHARED = { hosts: true, rate: true, mtuBytes: true, lmc: true, pkeys: true } as const;

/**
 * A fat tree of hosts `H1`…, leaf switches `L1`… and spine switches `S1`…; each host has one port and the NodeDescription
 * `node<n> HCA-1`. Equal options give equal topologies, GUIDs included.
 *
 * @throws VerbenaError `VERBENA_SIM_TOPOLOGY_SIZE`, `VERBENA_SIM_OPTION`
 */
export function fatTree(options: FatTreeOptions): Topology {
  checkOptions("fatTree", options, { ...SHARED, leafs: true, spines: true, linksPerSpine: true });
  const { hosts, leafs, spines, linksPerSpine = 1 } = options;
  const perLeaf = Math.ceil(hosts / leafs);
  for (const [name, value] of Object.entries({ hosts, leafs, linksPerSpine })) {
    if (!Number.isInteger(value) || value < 1) throw sizeError(`${name} is ${value}, not a whole number above 0`);
  }
  if (!Number.isInteger(spines) || spines < 0) throw sizeError(`spines is ${spines}, not a whole number`);
  if (leafs > 1 && spines === 0) throw sizeError("leaf switches without a spine are not connected");
  if (perLeaf + spines * linksPerSpine > MAX_PORTS)
    throw sizeError(`a leaf switch would need more than ${MAX_PORTS} ports`);
  if (leafs * linksPerSpine > MAX_PORTS) throw sizeError(`a spine switch would need more than ${MAX_PORTS} ports`);

  const make = new NodeMaker(options);
  const cables = new Cables();
  for (let host = 0; host < hosts; host++) {
    cables.join(
      { node: `H${host + 1}`, port: 1 },
      { node: `L${Math.floor(host / perLeaf) + 1}`, port: (host % perLeaf) + 1 },
    );
  }
  for (let leaf = 0; leaf < leafs; leaf++) {
    for (let uplink = 0; uplink < spines * linksPerSpine; uplink++) {
      const spine = Math.floor(uplink / linksPerSpine);
      cables.join(
        { node: `L${leaf + 1}`, port: perLeaf + uplink + 1 },
        { node: `S${spine + 1}`, port: leaf * linksPerSpine + (uplink % linksPerSpine) + 1 },
      );
    }
  }
  const nodes: TopologyNode[] = [];
  for (let host = 1; host <= hosts; host++) nodes.push(make.node("ca", `H${host}`, `node${host} HCA-1`, 1, cables));
  const leafPorts = perLeaf + spines * linksPerSpine;
  for (let leaf = 1; leaf <= leafs; leaf++)
    nodes.push(make.node("switch", `L${leaf}`, `leaf${leaf}`, leafPorts, cables));
  for (let spine = 1; spine <= spines; spine++) {
    nodes.push(make.node("switch", `S${spine}`, `spine${spine}`, leafs * linksPerSpine, cables));
  }
  return { nodes };
}

/** Leaf switches under one top switch. @throws VerbenaError `VERBENA_SIM_TOPOLOGY_SIZE`, `VERBENA_SIM_OPTION` */
export function twoLevel(options: TwoLevelOptions): Topology {
  checkOptions("twoLevel", options, { ...SHARED, hostsPerLeaf: true });
  const { hosts, hostsPerLeaf = 4, ...rest } = options;
  if (!Number.isInteger(hostsPerLeaf) || hostsPerLeaf < 1) {
    throw sizeError(`hostsPerLeaf is ${hostsPerLeaf}, not a whole number above 0`);
  }
  const leafs = Math.max(1, Math.ceil(hosts / hostsPerLeaf));
  return fatTree({ ...rest, hosts, leafs, spines: leafs > 1 ? 1 : 0 });
}

function sizeError(problem: string): Error {
  return simError("VERBENA_SIM_TOPOLOGY_SIZE", { details: { problem } });
}

class Cables {
  readonly #ends = new Map<string, LinkEnd>();

  join(a: LinkEnd, b: LinkEnd): void {
    this.#ends.set(`${a.node}[${a.port}]`, b);
    this.#ends.set(`${b.node}[${b.port}]`, a);
  }

  from(node: string, port: number): LinkEnd | undefined {
    return this.#ends.get(`${node}[${port}]`);
  }
}

/** Mellanox's vendor id; made-up GUIDs below it look like those of real hardware. */
const VENDOR = 0x02c9;
const GUID_BASE: Readonly<Record<NodeKind, bigint>> = {
  ca: 0x0002_c903_0010_0000n,
  switch: 0x0002_c903_0020_0000n,
  router: 0x0002_c903_0030_0000n,
};
const DEVICE: Readonly<Record<NodeKind, number>> = { ca: 4123, switch: 54000, router: 0 };

class NodeMaker {
  readonly #next = { ...GUID_BASE };
  readonly #rate: LinkRate;
  readonly #mtu: Mtu;
  readonly #lmc: number;
  readonly #pkeys: readonly PKey[];

  constructor(options: GenerateOptions) {
    const rate = parseLinkRate(options.rate ?? "4xEDR");
    if (rate === undefined) throw sizeError(`"${String(options.rate)}" is no link rate, such as 4xEDR`);
    const mtu = Mtu.fromBytes(options.mtuBytes ?? 4096);
    if (mtu === undefined) throw sizeError(`${String(options.mtuBytes)} is no MTU`);
    this.#rate = rate;
    this.#mtu = mtu;
    this.#lmc = options.lmc ?? 0;
    this.#pkeys = options.pkeys ?? [PKey.DEFAULT];
  }

  node(kind: NodeKind, id: string, description: string, portCount: number, cables: Cables): TopologyNode {
    const nodeGuid = this.#next[kind];
    this.#next[kind] += 0x10n;
    const ports: TopologyPort[] = [];
    for (let number = kind === "switch" ? 0 : 1; number <= portCount; number++) {
      const remote = number === 0 ? undefined : cables.from(id, number);
      ports.push({
        number,
        guid: Guid.from(kind === "switch" ? nodeGuid : nodeGuid + BigInt(number)),
        lmc: kind === "switch" ? 0 : this.#lmc,
        mtu: this.#mtu,
        ...(number === 0 ? { widths: LinkWidth.WIDTH_4X, speeds: LinkSpeed.SDR } : masksUpTo(this.#rate)),
        ...(remote === undefined ? {} : { remote }),
      });
    }
    return {
      id,
      kind,
      description,
      nodeGuid: Guid.from(nodeGuid),
      systemImageGuid: Guid.from(nodeGuid),
      vendorId: VENDOR,
      deviceId: DEVICE[kind],
      portCount,
      ports,
      pkeys: this.#pkeys,
    };
  }
}

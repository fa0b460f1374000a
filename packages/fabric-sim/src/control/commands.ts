import { IpAddress } from "@verbena/ib";
import type { SimAddress } from "../addresses/address-table.js";
import { parsePkey, parsePrefixed } from "../addresses/parse-addresses.js";
import { simError } from "../errors.js";
import { effectivePaths, hostPorts } from "../event-log/effective-paths.js";
import type { EventLog } from "../event-log/event-log.js";
import type { FabricNode } from "../fabric/node.js";
import type { FabricPort } from "../fabric/port.js";
import { transit } from "../fabric/route.js";
import { cutRoute } from "../faults/outages.js";
import type { LinkFault } from "../faults/wire-faults.js";
import type { Simulation } from "../process/simulation.js";
import type { LinkTrap } from "../sma/traps.js";
import { formatTopology } from "../topology/format-topology.js";
import { needNodesNamed } from "../topology/node-names.js";
import { describeAddress, describeFabric, describeNode, describePort } from "./describe.js";
import type { ControlRequest, ControlResults, FaultStatus, RouteResult } from "./protocol.js";
import { changeGid, changePkey } from "./table-commands.js";

/** Facts that only the process knows. */
export interface CommandSurroundings {
  readonly dir: string;
  readonly programs: () => readonly object[];
  readonly log: EventLog;
}

const QUESTIONS: ReadonlySet<ControlRequest["op"]> = new Set([
  "status",
  "topology",
  "counters",
  "addresses",
  "routes",
  "paths",
  "events",
]);

/** True for a request that changes nothing. */
function isQuestion(request: ControlRequest): boolean {
  return QUESTIONS.has(request.op) || (request.op === "fault" && request.action === "list");
}

/** Carries out control requests. The result describes the fabric after its manager has followed the change. */
export class Commands {
  constructor(
    readonly simulation: Simulation,
    readonly surroundings: CommandSurroundings,
  ) {}

  /** @throws VerbenaError with one of this package's codes */
  async run(request: ControlRequest): Promise<ControlResults[ControlRequest["op"]]> {
    const { simulation } = this;
    const { log } = this.surroundings;
    if (!isQuestion(request)) log.command(request);
    switch (request.op) {
      case "status":
        return describeFabric(simulation, this.surroundings.dir, this.surroundings.programs());
      case "topology":
        return { text: formatTopology(simulation.topology) };
      case "counters":
        return {
          sa: simulation.sa.counters.all(),
          saUnanswered: simulation.sa.counters.unanswered,
          saBusy: simulation.sa.counters.busy,
          requesters: simulation.sa.requesters.all(),
          reports: simulation.sa.reports.counters,
        };
      case "link":
        return { ports: (await this.#link(request)).map(describePort) };
      case "sa":
        this.#needBuiltin("sa");
        simulation.sa.behaviour.set(request.mode, request.durationMs, request.delayMs);
        return { mode: simulation.sa.behaviour.mode };
      case "sm":
        this.#needBuiltin("sm");
        return this.#manage(request);
      case "lid":
        this.#needBuiltin("lid");
        return { port: describePort(this.#changeLid(request.end)) };
      case "fault":
        return { faults: this.#fault(request) };
      case "node":
        return { node: describeNode(await this.#node(request)) };
      case "route":
        return this.#cutRoute(request.from, request.to);
      case "addr":
        return { addresses: this.#addr(request) };
      case "addresses": {
        const hcas = this.hcasOf(request.node);
        const entries = this.addressesOn(hcas).map((entry) => describeAddress(entry, "add", hcas));
        return { addresses: entries };
      }
      case "routes":
        return this.#route(request.from, request.to);
      case "trap":
        return { sent: simulation.agents.trap(simulation.fabric.portNamed(request.end), request.trap as LinkTrap) };
      case "gid":
        return changeGid(simulation.fabric, request);
      case "pkey":
        return changePkey(simulation.fabric, request);
      case "paths": {
        log.flush();
        const [sources, destinations] = [this.#hostPorts(request.from), this.#hostPorts(request.to)];
        return { seq: log.seq, paths: effectivePaths(sources, destinations) };
      }
      case "events":
        return { seq: log.seq };
      case "send":
        return simulation.injector.send(request);
      case "trace":
        // The connection streams it; nobody else asks.
        throw simError("VERBENA_SIM_CONTROL_REQUEST", { details: { problem: "trace is a stream" } });
    }
  }

  #hostPorts(name: string | undefined): readonly FabricPort[] {
    const { fabric } = this.simulation;
    return name === undefined
      ? hostPorts(fabric)
      : fabric.portsNamed(name).filter(({ node }) => node.kind !== "switch");
  }

  /** What only the built-in SM and SA can do. */
  #needBuiltin(op: string): void {
    if (this.simulation.management !== "builtin") throw simError("VERBENA_SIM_MANAGEMENT", { details: { op } });
  }

  /** The HCAs of `NODE` or of a comma list of them, as an attached program numbers them; all HCAs without a name. */
  hcasOf(name: string | undefined): readonly FabricNode[] {
    const { nodes } = this.simulation.fabric;
    if (name === undefined) return nodes.filter((node) => node.kind === "ca");
    const parts = name
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
    const chosen = parts.flatMap((part) => needNodesNamed(nodes, part)).filter((node) => node.kind === "ca");
    if (chosen.length === 0) throw simError("VERBENA_SIM_NODE_UNKNOWN", { details: { name } });
    return [...new Set(chosen)];
  }

  addressesOn(hcas: readonly FabricNode[]): readonly SimAddress[] {
    return this.simulation.addresses.all().filter((entry) => hcas.includes(entry.port.node));
  }

  async #link(request: Extract<ControlRequest, { op: "link" }>): Promise<readonly FabricPort[]> {
    const { fabric, outages } = this.simulation;
    const { end } = request;
    const ports = fabric.portsNamed(end);
    for (const port of ports) {
      if (port.cable === undefined) {
        throw simError("VERBENA_SIM_PORT_UNKNOWN", { details: { name: end, problem: "no cable is plugged in there" } });
      }
    }
    if (request.action === "flap") await outages.flap(ports, request.downMs ?? 100, request.times ?? 1);
    else for (const port of ports) fabric.setLink(port, request.action === "up");
    await this.#settled();
    return ports;
  }

  /** Deferred work runs in order: what is deferred now runs after the sweep that a change has asked for. */
  #settled(): Promise<void> {
    return new Promise((settle) => {
      this.simulation.fabric.services.defer(settle);
    });
  }

  #manage({ action, end }: Extract<ControlRequest, { op: "sm" }>): ControlResults["sm"] {
    const { sm } = this.simulation;
    if (action !== "hand-over") sm[action]();
    else if (end !== undefined) sm.handOver(end);
    else throw simError("VERBENA_SIM_CONTROL_REQUEST", { details: { problem: "sm: hand-over needs an end" } });
    return { lid: sm.port.lid };
  }

  #changeLid(end: string): FabricPort {
    const port = this.simulation.fabric.portNamed(end);
    if (!port.isEndPort || port.lid === 0) {
      throw simError("VERBENA_SIM_PORT_UNKNOWN", { details: { name: end, problem: "the port has no LID of its own" } });
    }
    this.simulation.sm.changeLid(port);
    return port;
  }

  #fault(request: Extract<ControlRequest, { op: "fault" }>): readonly FaultStatus[] {
    const { fabric } = this.simulation;
    if (request.action === "set") {
      const fault: LinkFault = {
        lossPercent: request.lossPercent ?? 0,
        delayMs: request.delayMs ?? 0,
        jitterMs: request.jitterMs ?? 0,
        duplicatePercent: request.duplicatePercent ?? 0,
        reorderPercent: request.reorderPercent ?? 0,
        ...(request.traffic === undefined ? {} : { traffic: request.traffic }),
      };
      for (const port of this.#endsNamed(request.end)) fabric.faults.set(port, fault);
    } else if (request.action === "clear") {
      if (request.end === undefined) fabric.faults.clear();
      else for (const port of fabric.portsNamed(request.end)) fabric.faults.set(port, undefined);
    }
    return fabric.faults.list().map(({ port, fault }) => (port === undefined ? fault : { end: port.name, ...fault }));
  }

  #endsNamed(end: string | undefined): readonly (FabricPort | undefined)[] {
    return end === undefined ? [undefined] : this.simulation.fabric.portsNamed(end);
  }

  async #node(request: Extract<ControlRequest, { op: "node" }>): Promise<FabricNode> {
    const { outages } = this.simulation;
    const node = this.#oneNode(request.node);
    switch (request.action) {
      case "describe":
        this.#describeNode(node, request.text);
        break;
      case "remove":
        outages.remove(node);
        break;
      case "restore":
        outages.restore(node);
        break;
      case "reboot":
        await outages.reboot(node, request.downMs ?? 1000);
        break;
    }
    await this.#settled();
    return node;
  }

  /** As if an administrator had written to the node's `node_desc`: its ports tell the subnet manager. */
  #describeNode(node: FabricNode, text: string | undefined): void {
    if (text === undefined) {
      throw simError("VERBENA_SIM_CONTROL_REQUEST", { details: { problem: "node: text must be given" } });
    }
    node.description = text;
    for (const port of node.endPorts) this.simulation.fabric.events.emit({ type: "state", port });
  }

  #cutRoute(from: string, to: string): RouteResult {
    const { fabric } = this.simulation;
    if (!cutRoute(fabric.portNamed(from), fabric.portNamed(to))) {
      const problem = "no switch forwards from there to the other port";
      throw simError("VERBENA_SIM_PORT_UNKNOWN", { details: { name: from, problem } });
    }
    return this.#route(from, to);
  }

  #oneNode(name: string): FabricNode {
    const [node, another] = needNodesNamed(this.simulation.fabric.nodes, name);
    if (node === undefined || another !== undefined) throw simError("VERBENA_SIM_NODE_UNKNOWN", { details: { name } });
    return node;
  }

  #addr({ action, node, address, pkey }: Extract<ControlRequest, { op: "addr" }>) {
    const { addresses, fabric } = this.simulation;
    const hcas = this.hcasOf(undefined);
    if (action === "add") {
      const parsed = parsePrefixed(address, "addr add");
      const entry = { port: this.#hostPort(node), ...parsed, pkey: parsePkey(pkey, "addr add") };
      addresses.add(entry, "addr add");
      return [describeAddress(entry, "add", hcas)];
    }
    const ip = IpAddress.tryParse(address.split("/", 1)[0] ?? "");
    if (ip === undefined) throw simError("VERBENA_SIM_ADDRESS_UNKNOWN", { details: { address } });
    if (action === "del") {
      const there = addresses.get(ip);
      if (node !== undefined && there !== undefined && !fabric.portsNamed(node).includes(there.port)) {
        throw simError("VERBENA_SIM_ADDRESS_UNKNOWN", { details: { address: `${address} on ${node}` } });
      }
      return [describeAddress(addresses.remove(ip), "del", hcas)];
    }
    const before = addresses.get(ip);
    const after = addresses.move(ip, {
      port: this.#hostPort(node),
      ...(pkey === undefined ? {} : { pkey: parsePkey(pkey, "addr move") }),
      ...(address.includes("/") ? { prefixLength: parsePrefixed(address, "addr move").prefixLength } : {}),
    });
    const removed = before === undefined ? [] : [describeAddress(before, "del", hcas)];
    return [...removed, describeAddress(after, "add", hcas)];
  }

  #hostPort(node: string | undefined): FabricPort {
    if (node === undefined) {
      throw simError("VERBENA_SIM_CONTROL_REQUEST", { details: { problem: "addr: node must be given" } });
    }
    const port = this.simulation.fabric.portNamed(node);
    if (port.node.kind !== "ca") {
      throw simError("VERBENA_SIM_PORT_UNKNOWN", {
        details: { name: node, problem: "only HCA ports carry addresses" },
      });
    }
    return port;
  }

  #route(from: string, to: string): RouteResult {
    const { fabric } = this.simulation;
    const source = fabric.portNamed(from);
    const destination = fabric.portNamed(to);
    const { hops, arrivals, dropped } = transit(source, destination.lid);
    return {
      slid: source.lid,
      dlid: destination.lid,
      hops: hops.map((hop) => ({ from: hop.from.name, to: hop.to.name })),
      arrives: arrivals.includes(destination),
      ...(dropped === undefined ? {} : { reason: dropped }),
    };
  }
}

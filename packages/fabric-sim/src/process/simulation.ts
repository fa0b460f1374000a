import { AddressTable } from "../addresses/address-table.js";
import { simError } from "../errors.js";
import { Fabric } from "../fabric/fabric.js";
import type { FabricServices } from "../fabric/services.js";
import { Outages } from "../faults/outages.js";
import { Gsi } from "../gsi/gsi.js";
import { FabricHost } from "../host/fabric-host.js";
import { saAgent } from "../host/sa-agent.js";
import { trapSink } from "../host/trap-sink.js";
import { Injector } from "../inject/injector.js";
import { PerformanceAgents } from "../pma/agent.js";
import { SaServer } from "../sa/sa-server.js";
import { SubnetManager } from "../sm/subnet-manager.js";
import { SubnetManagementAgents } from "../sma/agent.js";
import type { Topology } from "../topology/model.js";

/** Who manages a fabric: the built-in SM/SA, or an OpenSM that runs on one of its nodes. */
export type FabricManagement = "builtin" | "opensm";

/** What a simulation can be told beside its topology. */
export interface SimulationOptions {
  /** Port of the built-in subnet manager, `NODE` or `NODE[PORT]`. Default: the first connected HCA port of the file. */
  readonly smNode?: string | undefined;
  /** LMC of all host ports, 0 to 7. Default: as the topology says. */
  readonly lmc?: number | undefined;
  /**
   * Who manages the fabric. `opensm`: nobody does until an OpenSM is started on a node; ports stay in INIT without LIDs, and
   * forwarding tables are empty. Default `builtin`.
   */
  readonly sm?: FabricManagement | undefined;
}

/** A fabric with its management and no sockets: what runs in a process, and what tests drive directly. */
export class Simulation {
  readonly fabric: Fabric;
  readonly management: FabricManagement;
  /** The built-in manager; it has done nothing and knows no subnet if OpenSM manages the fabric. */
  readonly sm: SubnetManager;
  readonly sa: SaServer;
  readonly host: FabricHost;
  readonly outages: Outages;
  readonly injector: Injector;
  readonly addresses = new AddressTable();
  readonly agents: SubnetManagementAgents;

  constructor(
    readonly topology: Topology,
    services: FabricServices,
    options: SimulationOptions = {},
  ) {
    const { lmc, smNode, sm: management = "builtin" } = options;
    this.management = management;
    if (management === "opensm") refuseBuiltinOptions(options);
    if (lmc !== undefined && !(Number.isInteger(lmc) && lmc >= 0 && lmc <= 7)) {
      throw simError("VERBENA_SIM_OPTION", {
        details: { option: "lmc", problem: `${lmc} is not a whole number from 0 to 7` },
      });
    }
    this.fabric = new Fabric(topology, services);
    this.outages = new Outages(this.fabric);
    this.host = new FabricHost(this.fabric);
    this.injector = new Injector(this.fabric, this.host);
    this.sm = new SubnetManager(this.fabric, { smNode, lmc });
    this.sa = new SaServer(this.sm, new Gsi(this.fabric), this.fabric);
    const agents = new SubnetManagementAgents(this.fabric, management === "opensm");
    this.agents = agents;
    this.host.addSender((port, packet) => agents.sendDirected(port, packet));
    this.host.addAgent((port, packet) => agents.receive(port, packet));
    const performance = new PerformanceAgents(new Gsi(this.fabric));
    this.host.addAgent((port, packet) => performance.receive(port, packet));
    if (management === "builtin") {
      this.host.addAgent(saAgent(this.sm, this.sa));
      this.host.addAgent(trapSink(this.fabric, this.sm, this.sa));
      this.sm.start();
    } else {
      for (const { tables } of this.fabric.nodes) tables?.limitTo(0);
    }
  }

  close(): void {
    this.injector.close();
    this.agents.close();
    this.outages.close();
    this.fabric.faults.close();
    this.sa.close();
    this.sm.close();
    this.host.close();
  }
}

/** OpenSM has options of its own for these. */
function refuseBuiltinOptions({ lmc, smNode }: SimulationOptions): void {
  const problem = "only the built-in subnet manager has it; start OpenSM with its own options";
  if (lmc !== undefined) throw simError("VERBENA_SIM_OPTION", { details: { option: "lmc", problem } });
  if (smNode !== undefined) throw simError("VERBENA_SIM_OPTION", { details: { option: "smNode", problem } });
}

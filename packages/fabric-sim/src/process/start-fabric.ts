import { AttachServer } from "../attach/attach-server.js";
import { SOCKET_NAME } from "../attach/protocol.js";
import { systemServices } from "../fabric/services.js";
import type { Topology } from "../topology/model.js";
import { loadTopology } from "./load-topology.js";
import { SILENT_LOGGER, type SimLogger } from "./logger.js";
import { prepareDirectory } from "./run-directory.js";
import { Simulation, type SimulationOptions } from "./simulation.js";

/** How to start a fabric. */
export interface FabricOptions extends SimulationOptions {
  /** A topology; or its text, if the string has a line break; or the name of its file. */
  readonly topology: Topology | string;
  /** Directory of its own, made if missing; not under /run. Programs attach by its name (`FABRICSIM_DIR`). */
  readonly dir: string;
  /** Seed of everything random. Default 1. */
  readonly seed?: number | undefined;
  readonly logger?: SimLogger | undefined;
}

/** A fabric that runs and that programs can attach to. */
export interface RunningFabric extends AsyncDisposable {
  /** Absolute path of its directory. */
  readonly dir: string;
  readonly topology: Topology;
  /** Ends it: programs are disconnected, sockets and state pages removed. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a fabric in this process. Programs that call it synchronously (anything over `libfabricsim.so`) must be in another
 * process or thread; see `startFabricThread`.
 *
 * @throws VerbenaError `VERBENA_SIM_TOPOLOGY_…`, `VERBENA_SIM_FILE`, `VERBENA_SIM_DIR…`, `VERBENA_SIM_SOCKET_PATH`, `VERBENA_SIM_SM_NODE`
 */
export async function startFabric(options: FabricOptions): Promise<RunningFabric> {
  const topology = loadTopology(options.topology);
  const logger = options.logger ?? SILENT_LOGGER;
  const simulation = new Simulation(topology, systemServices(options.seed ?? 1), options);
  const dir = await prepareDirectory(options.dir, [SOCKET_NAME]);
  const attach = await AttachServer.listen({ host: simulation.host, directory: dir });
  logger.info({ dir, nodes: topology.nodes.length, smNode: simulation.sm.port.name }, "fabric is ready");
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      await attach.close();
      simulation.close();
      logger.info({ dir }, "fabric is closed");
    })();
    return closing;
  };
  return { dir, topology, close, [Symbol.asyncDispose]: close };
}

import { type OptionNames, VerbenaError } from "@verbena/ib";
import { parseAddresses } from "../addresses/parse-addresses.js";
import { AttachServer } from "../attach/attach-server.js";
import { SOCKET_NAME } from "../attach/protocol.js";
import { checkOptions } from "../check-options.js";
import { Commands } from "../control/commands.js";
import { ControlServer } from "../control/control-server.js";
import { CONTROL_SOCKET_NAME } from "../control/protocol.js";
import { simError } from "../errors.js";
import { EventLog } from "../event-log/event-log.js";
import { logToFile } from "../event-log/log-file.js";
import { systemServices } from "../fabric/services.js";
import type { Topology } from "../topology/model.js";
import { loadTopology, readText } from "./load-topology.js";
import { SILENT_LOGGER, type SimLogger } from "./logger.js";
import { prepareDirectory } from "./run-directory.js";
import { Simulation, type SimulationOptions } from "./simulation.js";
import { Teardown } from "./teardown.js";
import { checkTimeScale, publishTimeScale } from "./time-scale.js";

/** How to start a fabric. */
export interface FabricOptions extends SimulationOptions {
  /** A topology; or its text, if the string has a line break; or the name of its file. */
  readonly topology: Topology | string;
  /** Directory of its own, made if missing; not under /run. Programs attach by its name (`FABRICSIM_DIR`). */
  readonly dir: string;
  /** File of IP addresses on the simulated ports: lines `NODE[PORT] IP/PREFIX [PKEY]`. */
  readonly addressesFile?: string | undefined;
  /** File that gets the event log, one JSON object a line; replaced if it is there. Default: none. */
  readonly eventLog?: string | undefined;
  /**
   * How many times faster than the machine's the time of the fabric runs, 1 to 3600: leases, delays, time-outs and repetitions, and
   * the clock of daemons on it. Default 1.
   */
  readonly timeScale?: number | undefined;
  /** Seed of everything random. Default 1. */
  readonly seed?: number | undefined;
  readonly logger?: SimLogger | undefined;
}

/** All of them, for the check of their names. */
export const FABRIC_OPTIONS: OptionNames<FabricOptions> = {
  topology: true,
  sm: true,
  dir: true,
  addressesFile: true,
  eventLog: true,
  timeScale: true,
  seed: true,
  logger: true,
  smNode: true,
  lmc: true,
};

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
 * @throws VerbenaError `VERBENA_SIM_TOPOLOGY_…`, `VERBENA_SIM_FILE`, `VERBENA_SIM_DIR…`, `VERBENA_SIM_SOCKET_PATH`, `VERBENA_SIM_SM_NODE`,
 * `VERBENA_SIM_OPTION`, `VERBENA_SIM_EVENT_LOG`
 */
export async function startFabric(options: FabricOptions): Promise<RunningFabric> {
  checkOptions("startFabric", options, FABRIC_OPTIONS);
  const topology = loadTopology(options.topology);
  const logger = options.logger ?? SILENT_LOGGER;
  const teardown = new Teardown();
  try {
    const timeScale = checkTimeScale(options.timeScale ?? 1);
    const simulation = new Simulation(topology, systemServices(options.seed ?? 1, timeScale), options);
    teardown.add(() => {
      simulation.close();
    });
    if (options.addressesFile !== undefined) enterAddresses(simulation, options.addressesFile);
    const dir = await prepareDirectory(options.dir, [SOCKET_NAME, CONTROL_SOCKET_NAME]);
    teardown.add(publishTimeScale(dir, timeScale));
    const attach = await AttachServer.listen({ host: simulation.host, directory: dir });
    teardown.add(() => attach.close());
    const log = new EventLog(simulation);
    teardown.add(() => {
      log.close();
    });
    if (options.eventLog !== undefined) teardown.add(logToFile(log, options.eventLog, logger));
    const commands = new Commands(simulation, { dir, programs: () => attach.programs(), log });
    const control = await ControlServer.listen(dir, commands);
    teardown.add(() => control.close());
    const manager = simulation.management === "builtin" ? { smNode: simulation.sm.port.name } : { sm: "opensm" };
    logger.info({ dir, nodes: topology.nodes.length, ...manager }, "fabric is ready");
    const close = () => teardown.run();
    return { dir, topology, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await teardown.run();
    throw error;
  }
}

function enterAddresses(simulation: Simulation, file: string): void {
  for (const { place, end, ...entry } of parseAddresses(readText(file), file)) {
    try {
      simulation.addresses.add({ ...entry, port: simulation.fabric.portNamed(end) }, place);
    } catch (error) {
      if (!VerbenaError.is(error) || error.message.startsWith(place)) throw error;
      throw simError("VERBENA_SIM_ADDRESS_SYNTAX", {
        details: { place, problem: error.message },
        hint: error.hint ?? "",
        cause: error,
      });
    }
  }
}

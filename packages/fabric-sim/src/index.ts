/**
 * A simulated InfiniBand fabric: topologies, switches, subnet manager and administrator, faults on command; real programs attach
 * to it through `libfabricsim.so`.
 *
 * @packageDocumentation
 */
export type { AddressMessage } from "./addresses/address-message.js";
export {
  CONTROL_SOCKET_NAME,
  CONTROL_VERSION,
  type ControlRequest,
  type ControlResults,
  type CountersResult,
  type FabricStatus,
  type FaultStatus,
  type NodeStatus,
  type PathsResult,
  type PortStatus,
  type RouteHop,
  type RouteResult,
  type SendRequest,
  type SendResult,
  type SyncedMessage,
  type TraceEventName,
  type TraceLostMessage,
  type TracePacketMessage,
  type TraceSelection,
} from "./control/protocol.js";
export { SimControlClient } from "./control/sim-control-client.js";
export { SIM_ERRORS, type SimErrorCode } from "./errors.js";
export type {
  FabricLogEntry,
  FabricLogFact,
  LoggedPath,
  LoggedPathKey,
  LoggedPort,
  LoggedTables,
} from "./event-log/entries.js";
export type { DropReason } from "./fabric/drop-reason.js";
export { FAULT_TRAFFIC, type FaultTraffic, type LinkFault } from "./faults/wire-faults.js";
export { type DrawOptions, drawFabric } from "./graph/draw-fabric.js";
export { routeText } from "./graph/route-text.js";
export { libfabricsimPath } from "./process/library-path.js";
export { loadTopology, readTopologyFile } from "./process/load-topology.js";
export type { SimLogger } from "./process/logger.js";
export type { FabricManagement, SimulationOptions } from "./process/simulation.js";
export { type FabricOptions, type RunningFabric, startFabric } from "./process/start-fabric.js";
export { startFabricThread } from "./process/start-fabric-thread.js";
export { fabricTimeScale } from "./process/time-scale.js";
export type { ReportCounters } from "./sa/report-sender.js";
export { SA_MODES, type SaMode } from "./sa/sa-behaviour.js";
export type { SaCounter } from "./sa/sa-counters.js";
export type { SaRequester } from "./sa/sa-requesters.js";
export { formatTopology } from "./topology/format-topology.js";
export {
  type FatTreeOptions,
  fatTree,
  type GenerateOptions,
  type TwoLevelOptions,
  twoLevel,
} from "./topology/generate.js";
export type { LinkEnd, NodeKind, Topology, TopologyNode, TopologyPort } from "./topology/model.js";
export { type NamedNode, nodesNamed, splitEnd } from "./topology/node-names.js";
export { type ParseTopologyOptions, parseTopology } from "./topology/parse-topology.js";
export { describeMad, describePacket, type MadDescription, type PacketDescription } from "./trace/describe-packet.js";
export { type CapturedPacket, PcapngEncoder } from "./trace/pcapng.js";

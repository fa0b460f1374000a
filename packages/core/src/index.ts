/**
 * Verbena's engine room: the embedding API ({@link createResolver}), the daemon ({@link Daemon}), its configuration
 * ({@link loadConfig}) and the parts they are made of.
 *
 * @packageDocumentation
 */
import "reflect-metadata";

export type { AcmHandlerOptions, CachedResolver, ReplyKeeper } from "./acm/index.js";
export { AcmEdgeCounters, createAcmHandler } from "./acm/index.js";
export type { SourceSelector } from "./addresses/source-selector.js";
export { fabricSourceSelector, kernelSourceSelector } from "./addresses/source-selector.js";
export type { AddressFileInput } from "./config/generate/address-file.js";
export { generateAddressFile } from "./config/generate/address-file.js";
export { generateOptionsFile } from "./config/generate/options-file.js";
export type {
  AddressConfig,
  AddressLine,
  ConfigFile,
  ConfigInput,
  ConfigReading,
  ConfigSetting,
  ConfigSources,
  ConvertedConfig,
  ConvertSources,
  DaemonConfig,
  Diagnostic,
  InspectedConfig,
  LoadedConfig,
  ProviderEntry,
  Severity,
} from "./config/index.js";
export {
  configSchema,
  convertConfig,
  DEFAULT_PATHS,
  formatDiagnostic,
  inspectConfig,
  loadConfig,
  readConfigText,
} from "./config/index.js";
export type { ControlHost, ControlServer, ControlServerOptions } from "./control/index.js";
export { createControlServer } from "./control/index.js";
export type {
  DaemonOptions,
  DaemonReady,
  DaemonState,
  HostedRds,
  RdsHosting,
  RdsHostingServices,
} from "./daemon/index.js";
export { Daemon } from "./daemon/index.js";
export type {
  DestinationFormat,
  Host,
  ProviderOption,
  ResolveOptions,
  Resolver,
  ResolverOptions,
  TransportSet,
  TransportSetOptions,
} from "./embed/index.js";
export { createHost, createResolver, devicePorts, formatDestination, parseDestination } from "./embed/index.js";
export type * from "./engine/contract.js";
export { CORE_ERRORS } from "./errors.js";
export { openRegular } from "./files/open-regular.js";
export type { ProviderPlace, ProviderRequest } from "./host/index.js";
export { noMetrics, scaledClock, silentLogger, systemClock, systemRandom } from "./host/index.js";
export type { NoticeState } from "./notices/port-notices.js";
export { isInfiniBand } from "./ports/port-sight.js";
export type { PreloadEntry, PreloadSource } from "./preload/index.js";
export { saPkeyIndex } from "./sa-client/sa-address.js";
export type {
  AcmAddress,
  AcmClientHandle,
  AcmListener,
  AcmReply,
  AcmRequestHandler,
  AcmServer,
  AcmServerLimits,
  AcmServerOptions,
  PeerCredentialsReader,
} from "./server/index.js";
export { clientsWithin, createAcmServer, DEFAULT_ACM_SERVER_LIMITS } from "./server/index.js";

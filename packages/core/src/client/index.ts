export { encodeCounters, encodePath } from "../control/encode.js";
export type {
  CacheEntryJson,
  CacheJson,
  ChangeJson,
  ClientJson,
  ClientsJson,
  CountersJson,
  DuplicateJson,
  EndpointIdentityJson,
  EndpointJson,
  EndpointsJson,
  ErrorJson,
  ExplainJson,
  ExplainRequestJson,
  ExplainStepJson,
  FlushJson,
  GroupCheckJson,
  GroupCheckRequestJson,
  GroupJson,
  KernelServiceJson,
  LostFunctionJson,
  OriginJson,
  PathJson,
  ProviderReportJson,
  ProviderStepJson,
  ReloadJson,
  ResolveJson,
  ResolveRequestJson,
  RouteEndJson,
  RouteJson,
  SaPortJson,
  SaStepJson,
  StatsJson,
  StatusJson,
} from "../control/wire.js";
export type { DestinationFormat } from "../embed/parse-destination.js";
export { formatDestination, parseDestination } from "../embed/parse-destination.js";
export type { AcmAddressInput } from "./acm-address.js";
export type { AcmCallOptions } from "./acm-call.js";
export type {
  AcmConnectOptions,
  AcmNumberedEndpoint,
  AcmPathOptions,
  AcmPerfOptions,
  AcmResolution,
  AcmResolveOptions,
} from "./acm-client.js";
export { AcmClient } from "./acm-client.js";
export type { AcmConnectionOptions, AcmServiceAddress } from "./acm-connection.js";
export { ACM_DEFAULT_PORT } from "./acm-connection.js";
export type { ControlCallOptions, ControlClientOptions, ProviderWatchOptions } from "./control-client.js";
export { ControlClient } from "./control-client.js";

/**
 * The contract between Verbena and its providers: interfaces, value types, injection tokens and `defineProvider`. Its only run-time
 * dependencies are tsyringe's pair of decorators, handed on so that authors import from one place, and the vocabulary of
 * `@verbena/ib`, which is pure.
 *
 * @packageDocumentation
 */
import "reflect-metadata";

export type {
  AccessFlag,
  AddressAttributes,
  AddressEvent,
  AddressHandle,
  AddressSource,
  AllocateOptions,
  ChannelGroup,
  ChannelGroupOptions,
  ChannelToken,
  Completion,
  CompletionBatch,
  CompletionChannel,
  CompletionQueue,
  CompletionQueueOptions,
  Context,
  DeliveryMode,
  DeviceEvent,
  DeviceLimits,
  GroupEvent,
  GroupMembership,
  HostAddress,
  KernelRdsAddress,
  KernelRdsControl,
  KernelRdsInfo,
  KernelRdsMessage,
  KernelRdsReadiness,
  KernelRdsService,
  KernelRdsSocket,
  MadAddress,
  MemoryRegion,
  MemorySegment,
  MemorySlice,
  Message,
  MessageOptions,
  NativeServices,
  PortState,
  PreparedWork,
  ProtectionDomain,
  QueuePair,
  QueuePairAttributes,
  QueuePairCaps,
  QueuePairOptions,
  QueuePairState,
  QueuePairStatus,
  QueuePairType,
  RdmaService,
  ReceiveRequest,
  RegisterOptions,
  Segments,
  SendAtomic,
  SendCommon,
  SendMessage,
  SendRdma,
  SendRequest,
  SharedReceiveQueue,
  TcpEndpoint,
  TcpListener,
  TcpListenerHandler,
  TcpService,
  TcpStream,
  TcpStreamHandler,
  UmadAgent,
  UmadAgentOptions,
  UmadMessage,
  UmadPort,
  UmadPortInfo,
  UmadSendOptions,
  UmadService,
  VerbsContext,
  VerbsDeviceInfo,
  VerbsPortAttributes,
  VerbsService,
  WaitOptions,
} from "@verbena/native";
export { inject, injectable } from "tsyringe";
export type {
  CongestionUpdate,
  ControlMessage,
  DatagramAddress,
  DatagramErrno,
  DatagramReceiveRequest,
  ReceivedItem,
  ReceivedMessage,
  SendAttempt,
  SocketBackend,
  SocketEvents,
  SocketLimits,
} from "./datagram-socket.js";
export type {
  AnyProvider,
  ProviderClass,
  ProviderDefinition,
  ProviderFactory,
} from "./define-provider.js";
export { defineProvider, PROVIDER_BRAND } from "./define-provider.js";
export { Destination } from "./destination.js";
export type { DuplicateAddress } from "./duplicate.js";
export type { Endpoint, LocalAddress, Port } from "./endpoint.js";
export type { GroupState, GroupStatus } from "./group.js";
export type { ProviderManifest, ProviderRole } from "./manifest.js";
export { SDK_VERSION } from "./manifest.js";
export type {
  LocalTransport,
  MessageTransport,
  OutgoingFrame,
  PayloadMemory,
  PeerLink,
  PeerSource,
  TransportAddress,
  TransportSink,
} from "./message-transport.js";
export { OccasionalWarning } from "./occasional-warning.js";
export type {
  AddressProvider,
  EndpointServices,
  EndpointSession,
  LearnedEntry,
  PortEvent,
  PortSession,
  ProviderCounters,
  ResolutionProvider,
  ResolveContext,
  RouteProvider,
  SessionState,
} from "./provider.js";
export type { ProviderEvent } from "./provider-event.js";
export type { AddressAnswer, RouteAnswer, RouteQuery } from "./route.js";
export type { SaNotice } from "./sa-notice.js";
export type {
  Clock,
  GroupMemberships,
  Logger,
  Metrics,
  PortServices,
  Random,
  SaQuery,
  SaResponse,
  SaService,
} from "./services.js";
export type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.js";
export type { ProviderHost } from "./tokens.js";
export { tokens } from "./tokens.js";
export type { DatagramTransport, SocketTransport, TransportProvider } from "./transport.js";
export type {
  ConnectionInfo,
  QueuedMessageInfo,
  SocketInfo,
  TcpSocketInfo,
  TransportCounter,
  TransportInfoLists,
} from "./transport-info.js";

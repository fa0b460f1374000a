/**
 * The one seam to native code: management datagrams (libibumad), verbs devices and their events (libibverbs), the host's addresses
 * (rtnetlink or the simulator) and a few services of the operating system. Importing it needs neither the addon nor RDMA; ask
 * {@link availability} what there is.
 *
 * @packageDocumentation
 */
export type { AddressEvent, AddressSource, HostAddress } from "./api/addresses.js";
export type {
  ChannelGroup,
  ChannelGroupOptions,
  ChannelToken,
  Completion,
  CompletionBatch,
  CompletionChannel,
  CompletionQueue,
  CompletionQueueOptions,
  DeliveryMode,
  GroupEvent,
  GroupMembership,
  Message,
  MessageOptions,
  WaitOptions,
} from "./api/completions.js";
export type { FrontEnd, FrontEndEvent, FrontEndHits, FrontEndIo, FrontEndOptions } from "./api/front-end.js";
export type {
  AccessFlag,
  AllocateOptions,
  MemoryRegion,
  MemorySegment,
  MemorySlice,
  RegisterOptions,
} from "./api/memory.js";
export type { FileLock, PassedDescriptor, PeerCredentials, ProcessService } from "./api/process.js";
export type {
  AddressAttributes,
  AddressHandle,
  PreparedWork,
  QueuePair,
  QueuePairAttributes,
  QueuePairCaps,
  QueuePairOptions,
  QueuePairState,
  QueuePairStatus,
  QueuePairType,
  ReceiveRequest,
  Segments,
  SendAtomic,
  SendCommon,
  SendMessage,
  SendRdma,
  SendRequest,
  SharedReceiveQueue,
} from "./api/queue-pair.js";
export type { Context, DeviceLimits, Native, ProtectionDomain, RdmaService } from "./api/rdma.js";
export type { RdmaNetlink, RdmaNetlinkEvent, RdmaNetlinkOptions } from "./api/rdma-netlink.js";
export type {
  KernelRdsAddress,
  KernelRdsControl,
  KernelRdsInfo,
  KernelRdsMessage,
  KernelRdsReadiness,
  KernelRdsService,
  KernelRdsSocket,
} from "./api/rds.js";
export type { Availability, LibraryAvailability, NativeOptions, NativeServices } from "./api/services.js";
export type {
  TcpEndpoint,
  TcpListener,
  TcpListenerHandler,
  TcpService,
  TcpStream,
  TcpStreamHandler,
} from "./api/tcp.js";
export type {
  MadAddress,
  PortState,
  UmadAgent,
  UmadAgentOptions,
  UmadMessage,
  UmadPort,
  UmadPortInfo,
  UmadSendOptions,
  UmadService,
} from "./api/umad.js";
export type {
  DeviceEvent,
  VerbsContext,
  VerbsDeviceAttributes,
  VerbsDeviceInfo,
  VerbsPortAttributes,
  VerbsService,
} from "./api/verbs.js";
export { type AvailabilityParts, availability } from "./availability.js";
export type {
  AddressHandleBinding,
  BindingError,
  ChannelGroupBinding,
  CompletionChannelBinding,
  CompletionQueueBinding,
  DeviceLimitsDescription,
  FrontEndBinding,
  FrontEndLimits,
  MemoryRegionBinding,
  NativeBinding,
  NetlinkSocketBinding,
  PreparedWorkBinding,
  ProtectionDomainBinding,
  QueuePairBinding,
  RdsSocketBinding,
  SharedReceiveQueueBinding,
  SocketDescription,
  TcpListenerBinding,
  TcpStreamBinding,
  UmadLibraryBinding,
  UmadPortBinding,
  UmadPortDescription,
  VerbsContextBinding,
  VerbsLibraryBinding,
  VerbsPortDescription,
} from "./binding.js";
export { NATIVE_ERRORS } from "./errors.js";
export type { Environment } from "./load-binding.js";
export { openNative } from "./open-native.js";

export type { AcmServer, AcmServerOptions, PeerCredentialsReader } from "./acm-server.js";
export { createAcmServer } from "./acm-server.js";
export type { AcmClientHandle, AcmReply, AcmRequestHandler } from "./handler.js";
export type { AcmServerLimits } from "./limits.js";
export { clientsWithin, DEFAULT_ACM_SERVER_LIMITS } from "./limits.js";
export type { AcmAddress, AcmListener } from "./listen.js";
export type { RendezvousOptions } from "./rendezvous.js";
export { ACM_RUN_NAMES, listenerFor, publishRendezvous, removeNames } from "./rendezvous.js";

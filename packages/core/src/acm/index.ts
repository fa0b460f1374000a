export type { AcmHandlerOptions, CachedResolver, ReplyKeeper } from "./acm-handler.js";
export { createAcmHandler } from "./acm-handler.js";
export { AcmEdgeCounters, aggregateCounters } from "./edge-counters.js";
export type { AcmFailure } from "./status.js";
export { failureOf, statusOfMad } from "./status.js";

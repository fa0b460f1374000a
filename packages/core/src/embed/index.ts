export { devicePorts } from "./device-ports.js";
export type { Host } from "./host.js";
export { createHost } from "./host.js";
export type { DestinationFormat } from "./parse-destination.js";
export { formatDestination, parseDestination } from "./parse-destination.js";
export type { ProviderOption } from "./provider-option.js";
export type { ResolveOptions, Resolver, ResolverOptions } from "./resolver.js";
export { createResolver } from "./resolver.js";
export type { TransportSet, TransportSetOptions } from "./transport-set.js";

export type { HostServices } from "./composition.js";
export { composeHost } from "./composition.js";
export { noMetrics, scaledClock, silentLogger, systemClock, systemRandom } from "./default-services.js";
export type { ProviderPlace } from "./load-module.js";
export type { LoadedProvider, ProviderRequest } from "./provider-registry.js";
export { ProviderRegistry } from "./provider-registry.js";

export { KernelService, type KernelServiceOptions } from "./kernel-service.js";
export type { KernelServiceState, KernelServiceStatus } from "./status.js";

export { KernelService, type KernelServiceOptions } from "./kernel-service.js";
export { KERNEL_ANSWERS, type KernelServiceState, type KernelServiceStatus } from "./status.js";

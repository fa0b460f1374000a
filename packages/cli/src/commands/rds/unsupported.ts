import { cliError } from "../../errors.js";

const RDMA = "the sockets of @verbena/rds have no RDMA operations";
const TYPE_OF_SERVICE = "no transport has types of service: over TCP Linux takes every one for 0";

/** Options of rds-stress and rds-ping that are known and cannot be served, and why. */
const REASONS = {
  tos: ["-Q", TYPE_OF_SERVICE],
  rdmaBytes: ["-D", RDMA],
  rdmaVector: ["-I", RDMA],
  rdmaMode: ["-M", RDMA],
  rdmaUseOnce: ["--rdma-use-once", RDMA],
  rdmaUseGetMr: ["--rdma-use-get-mr", RDMA],
  rdmaUseFence: ["--rdma-use-fence", RDMA],
  rdmaUseNotify: ["--rdma-use-notify", RDMA],
  rdmaCacheMrs: ["--rdma-cache-mrs", RDMA],
  rdmaAlignment: ["--rdma-alignment", RDMA],
  rdmaKeyOMeter: ["--rdma-key-o-meter", RDMA],
  async: ["--async", "asynchronous sends are of kernels other than Linux' own"],
  reset: ["--reset", "Linux' own kernel has no request to reset connections"],
  rtprio: ["-R", "Node cannot ask for a real-time priority; start the program under chrt"],
} as const;

/** Options by the names that the parser gives them. */
export type RefusedOptions = { readonly [Name in keyof typeof REASONS]?: string | boolean };

/** Throws `VERBENA_CLI_USAGE_UNSUPPORTED` for the first of them that is there. */
export function refuseUnsupported(options: RefusedOptions): void {
  for (const name of Object.keys(REASONS) as (keyof typeof REASONS)[]) {
    if (options[name] === undefined) continue;
    const [option, reason] = REASONS[name];
    throw cliError("VERBENA_CLI_USAGE_UNSUPPORTED", { details: { option, reason } });
  }
}

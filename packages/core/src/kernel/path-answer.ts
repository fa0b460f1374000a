import {
  ACM_PATH_FLAG,
  encodeNetlinkPathAnswer,
  NETLINK_UNIDIRECTIONAL_FLAGS,
  NetlinkPathUse,
  type NetlinkResolveRequest,
  type PathRecord,
} from "@verbena/ib";
import { MAX_KERNEL_PATHS } from "./path-query.js";

/** Not PRIMARY: a kernel that looks for one path passes these over. */
const ALTERNATE_FLAGS = ACM_PATH_FLAG.ALTERNATE | ACM_PATH_FLAG.BIDIRECTIONAL;

/**
 * The message that answers a RESOLVE with paths, best first. The flags are those the kernel looks for: PRIMARY and OUTBOUND for
 * UNIDIRECTIONAL; otherwise also GMP and the way back, with which the best path serves connection management and data alike. What
 * further paths the use ALL has are alternates in both directions.
 */
export function encodePathAnswer(
  { header, pathUse }: NetlinkResolveRequest,
  paths: readonly PathRecord[],
  pid: number,
): Buffer {
  const primary = pathUse === NetlinkPathUse.UNIDIRECTIONAL ? NETLINK_UNIDIRECTIONAL_FLAGS : ACM_PATH_FLAG.ANSWER;
  const taken = paths.slice(0, pathUse === NetlinkPathUse.ALL ? MAX_KERNEL_PATHS : 1);
  return encodeNetlinkPathAnswer({
    sequence: header.sequence,
    pid,
    paths: taken.map((path, index) => ({ flags: index === 0 ? primary : ALTERNATE_FLAGS, path })),
  });
}

import type { AccessFlag } from "../api/memory.js";
import type { QueuePairState, QueuePairType } from "../api/queue-pair.js";

const named = (names: readonly (string | undefined)[], code: number): string => names[code] ?? `unknown(${code})`;

/** `enum ibv_wc_status`, by the names of the InfiniBand architecture. */
const STATUS = [
  "success",
  "local-length-error",
  "local-qp-operation-error",
  "local-eec-operation-error",
  "local-protection-error",
  "work-request-flushed",
  "memory-window-bind-error",
  "bad-response-error",
  "local-access-error",
  "remote-invalid-request-error",
  "remote-access-error",
  "remote-operation-error",
  "transport-retry-exceeded",
  "rnr-retry-exceeded",
  "local-rdd-violation-error",
  "remote-invalid-rd-request",
  "remote-aborted-error",
  "invalid-eecn",
  "invalid-eec-state",
  "fatal-error",
  "response-timeout-error",
  "general-error",
] as const;

/** Name of a completion's status. */
export const statusName = (code: number): string => named(STATUS, code);

const SEND_OPCODES = ["send", "rdma-write", "rdma-read", "compare-and-swap", "fetch-and-add"] as const;
const RECEIVE_OPCODES: Readonly<Record<number, string>> = { 128: "receive", 129: "receive-rdma-with-imm" };

/** Name of `enum ibv_wc_opcode`. */
export const opcodeName = (code: number): string => RECEIVE_OPCODES[code] ?? named(SEND_OPCODES, code);

/** Of `enum ibv_wc_opcode`: the bit that every receive has. */
export const WC_RECV = 128;

/** `enum ibv_wc_flags`. */
export const WC_GRH = 1;
export const WC_WITH_IMM = 2;

/** `enum ibv_wr_opcode`. */
export const WR = {
  RDMA_WRITE: 0,
  RDMA_WRITE_WITH_IMM: 1,
  SEND: 2,
  SEND_WITH_IMM: 3,
  RDMA_READ: 4,
  COMPARE_AND_SWAP: 5,
  FETCH_AND_ADD: 6,
} as const;

/** `enum ibv_send_flags`. */
export const SEND_FLAG = { FENCE: 1, SIGNALED: 2, SOLICITED: 4, INLINE: 8 } as const;

/** `enum ibv_qp_type`. */
export const QP_TYPE: Readonly<Record<QueuePairType, number>> = { rc: 2, uc: 3, ud: 4 };

/** `enum ibv_qp_state`. */
export const QP_STATES = ["reset", "init", "rtr", "rts", "sqd", "sqe", "error"] as const satisfies QueuePairState[];

/** `enum ibv_access_flags`. */
const ACCESS: Readonly<Record<AccessFlag, number>> = {
  "local-write": 1,
  "remote-write": 2,
  "remote-read": 4,
  "remote-atomic": 8,
  "relaxed-ordering": 1 << 20,
};

/** Mask of access flags; `undefined` with an unknown one among them. */
export function accessMask(flags: readonly AccessFlag[]): number | undefined {
  let mask = 0;
  for (const flag of flags) {
    const bit = (ACCESS as Readonly<Record<string, number | undefined>>)[flag];
    if (bit === undefined) return undefined;
    mask |= bit;
  }
  return mask;
}

/** The flags of a mask that have names. */
export function accessFlags(mask: number): readonly AccessFlag[] {
  return (Object.keys(ACCESS) as AccessFlag[]).filter((flag) => (mask & ACCESS[flag]) !== 0);
}

/** `enum ibv_atomic_cap`. */
export const atomicsName = (code: number): string => named(["none", "hca", "global"], code);

import type { ExtendedHeaders } from "./extended-headers.js";

/** BTH opcodes of the unreliable datagram service, and of acknowledgements of the reliable connection (IBA 9.2.1). */
export const BthOpcode = { UD_SEND_ONLY: 0x64, UD_SEND_ONLY_IMMEDIATE: 0x65, RC_ACKNOWLEDGE: 0x11 } as const;

/** What an opcode is called, and the headers that come with it. */
interface Operation {
  readonly name: string;
  readonly headers: readonly (keyof ExtendedHeaders)[];
}

const IMMEDIATE = ["immediate"] as const;

/** By the low five bits (IBA table 38); those of UC are the first twelve. */
const OPERATIONS: readonly Operation[] = [
  { name: "SEND first", headers: [] },
  { name: "SEND middle", headers: [] },
  { name: "SEND last", headers: [] },
  { name: "SEND last with immediate", headers: IMMEDIATE },
  { name: "SEND only", headers: [] },
  { name: "SEND only with immediate", headers: IMMEDIATE },
  { name: "RDMA WRITE first", headers: ["reth"] },
  { name: "RDMA WRITE middle", headers: [] },
  { name: "RDMA WRITE last", headers: [] },
  { name: "RDMA WRITE last with immediate", headers: IMMEDIATE },
  { name: "RDMA WRITE only", headers: ["reth"] },
  { name: "RDMA WRITE only with immediate", headers: ["reth", "immediate"] },
  { name: "RDMA READ request", headers: ["reth"] },
  { name: "RDMA READ response first", headers: ["aeth"] },
  { name: "RDMA READ response middle", headers: [] },
  { name: "RDMA READ response last", headers: ["aeth"] },
  { name: "RDMA READ response only", headers: ["aeth"] },
  { name: "acknowledge", headers: ["aeth"] },
  { name: "ATOMIC acknowledge", headers: ["aeth", "atomicAck"] },
  { name: "CmpSwap", headers: ["atomicEth"] },
  { name: "FetchAdd", headers: ["atomicEth"] },
];
const UC_OPERATIONS = 12;
const OPERATION_MASK = 0x1f;
const SERVICES: ReadonlyMap<number, string> = new Map([
  [0x00, "RC"],
  [0x20, "UC"],
  [0x60, "UD"],
]);

function operationOf(opcode: number): Operation | undefined {
  const operation = OPERATIONS[opcode & OPERATION_MASK];
  switch (SERVICES.get(opcode & ~OPERATION_MASK)) {
    case "RC":
      return operation;
    case "UC":
      return (opcode & OPERATION_MASK) < UC_OPERATIONS ? operation : undefined;
    case "UD":
      return opcode === BthOpcode.UD_SEND_ONLY || opcode === BthOpcode.UD_SEND_ONLY_IMMEDIATE
        ? operation && { name: operation.name, headers: ["deth", ...operation.headers] }
        : undefined;
    default:
      return undefined;
  }
}

/** The extended headers of a packet with this opcode, in their order; none for an opcode that is not of RC, UC or UD. */
export function extendedHeadersOf(opcode: number): readonly (keyof ExtendedHeaders)[] {
  return operationOf(opcode)?.headers ?? [];
}

/** `RC RDMA WRITE first`, `UD SEND only`; `0xNN` for an opcode that is not of RC, UC or UD. */
export function bthOpcodeName(opcode: number): string {
  const operation = operationOf(opcode);
  const service = SERVICES.get(opcode & ~OPERATION_MASK) ?? "";
  return operation === undefined ? `0x${opcode.toString(16).padStart(2, "0")}` : `${service} ${operation.name}`;
}

const NAK_NAMES: ReadonlyMap<number, string> = new Map([
  [0, "NAK PSN sequence error"],
  [1, "NAK invalid request"],
  [2, "NAK remote access error"],
  [3, "NAK remote operational error"],
]);

/** What the syndrome of an acknowledge header says (IBA 9.7.5.2.1): `ACK`, `RNR NAK` with its timer code, `NAK …`; else `0xNN`. */
export function aethSyndromeName(syndrome: number): string {
  const detail = syndrome & OPERATION_MASK;
  const unknown = `0x${syndrome.toString(16).padStart(2, "0")}`;
  switch (syndrome >>> 5) {
    case 0:
      return "ACK";
    case 1:
      return `RNR NAK ${detail}`;
    case 3:
      return NAK_NAMES.get(detail) ?? unknown;
    default:
      return unknown;
  }
}

import { IpAddress } from "@verbena/ib";
import { cliError } from "../../../errors.js";

/** What the active side tells the passive one: both work by the same options. Sizes in bytes. */
export interface LinkOptions {
  /** Requests that one child has under way to one other child. */
  readonly depth: number;
  readonly requestBytes: number;
  readonly ackBytes: number;
  /** RDMA; 0 is none. */
  readonly rdmaBytes: number;
  /** The passive side's address, as the active side calls it. */
  readonly sendAddress: IpAddress;
  /** The active side's address. */
  readonly receiveAddress: IpAddress;
  /** Of the link; child i has port + 1 + i for its datagrams, on both sides. */
  readonly port: number;
  /** Children of each side. */
  readonly tasks: number;
  /** 0 is for ever. */
  readonly runTimeSeconds: number;
  readonly isSummaryOnly: boolean;
  readonly traces: boolean;
  readonly verifies: boolean;
  readonly showsParams: boolean;
  readonly showsPerfdata: boolean;
  readonly usesCongestionMonitor: boolean;
  /** Only the active side sends requests. */
  readonly isSimplex: boolean;
  readonly connectRetries: number;
}

/** Bytes of the options. */
export const LINK_OPTIONS_BYTES = 59;
/** A version in front of the options, which two bytes follow then: type of service, asynchronous sends. */
export const LINK_VERSION_BYTES = 16;

const FLAGS_AT = 32;
const FLAG = {
  isSummaryOnly: 0,
  traces: 2,
  verifies: 3,
  showsParams: 4,
  showsPerfdata: 5,
  usesCongestionMonitor: 6,
  isSimplex: 13,
} as const;
/** What rds-stress says of RDMA that it does not use: each key once, with a fence. */
const UNUSED_RDMA_FLAGS = [7, 9] as const;

/** Bytes of options as rds-stress 2.0.7 sends them: big-endian, 59, without type of service. */
export function encodeLinkOptions(options: LinkOptions): Buffer {
  const bytes = Buffer.alloc(LINK_OPTIONS_BYTES);
  const { depth, requestBytes, ackBytes, rdmaBytes } = options;
  for (const [index, value] of [depth, requestBytes, ackBytes, rdmaBytes].entries())
    bytes.writeUInt32BE(value, 4 * index);
  bytes.set(IpAddress.bytes(options.sendAddress), 16);
  bytes.set(IpAddress.bytes(options.receiveAddress), 20);
  bytes.writeUInt16BE(options.port, 24);
  bytes.writeUInt16BE(options.tasks, 26);
  bytes.writeUInt32BE(options.runTimeSeconds, 28);
  for (const [name, at] of flagNames()) bytes[FLAGS_AT + at] = options[name] ? 1 : 0;
  for (const at of UNUSED_RDMA_FLAGS) bytes[FLAGS_AT + at] = 1;
  bytes.writeUInt32BE(1, 47);
  bytes.writeUInt32BE(options.connectRetries, 55);
  return bytes;
}

/** Reads {@link encodeLinkOptions}' bytes. Throws `VERBENA_CLI_STRESS` for what this side cannot do. */
export function decodeLinkOptions(bytes: Buffer): LinkOptions {
  const flag = (at: number): boolean => bytes[FLAGS_AT + at] !== 0;
  const flags = Object.fromEntries(flagNames().map(([name, at]) => [name, flag(at)])) as Pick<
    LinkOptions,
    keyof typeof FLAG
  >;
  const options: LinkOptions = {
    depth: bytes.readUInt32BE(0),
    requestBytes: bytes.readUInt32BE(4),
    ackBytes: bytes.readUInt32BE(8),
    rdmaBytes: bytes.readUInt32BE(12),
    sendAddress: IpAddress.fromBytes(bytes.subarray(16, 20)),
    receiveAddress: IpAddress.fromBytes(bytes.subarray(20, 24)),
    port: bytes.readUInt16BE(24),
    tasks: bytes.readUInt16BE(26),
    runTimeSeconds: bytes.readUInt32BE(28),
    ...flags,
    connectRetries: bytes.readUInt32BE(55),
  };
  if (options.rdmaBytes > 0) throw refused(`it wants RDMA of ${String(options.rdmaBytes)} bytes (-D)`);
  const problem = sizeProblem(options);
  if (problem !== undefined) throw refused(problem);
  return options;
}

/** Whether the first bytes of a link are a version of rds-stress and not yet the options. */
export const isLinkVersion = (bytes: Buffer): boolean => /^\d+\.\d+\.\d+\0/.test(bytes.toString("latin1"));

/** Looks at the two bytes behind options with a version. Throws `VERBENA_CLI_STRESS`. */
export function checkLinkExtras([tos, async]: Buffer): void {
  if (tos !== 0) throw refused(`it wants type of service ${String(tos)} (-Q)`);
  if (async !== 0) throw refused("it wants asynchronous sends (--async)");
}

const LARGEST_BYTES = 1 << 20;
const MOST_UNDER_WAY = 1 << 20;
/** A message without payload is its header. */
export const LEAST_BYTES = 63;

/** What is wrong with sizes, if anything. */
export function sizeProblem({ requestBytes, ackBytes, depth, tasks, port }: LinkOptions): string | undefined {
  for (const [what, bytes] of [
    ["requests", requestBytes],
    ["acks", ackBytes],
  ] as const) {
    if (bytes < LEAST_BYTES || bytes > LARGEST_BYTES) {
      return `${what} have ${String(LEAST_BYTES)} to ${String(LARGEST_BYTES)} bytes, not ${String(bytes)}`;
    }
  }
  if (depth < 1 || tasks < 1) return "depth and tasks are at least 1";
  if (depth * tasks > MOST_UNDER_WAY) return `a child has at most ${String(MOST_UNDER_WAY)} requests under way`;
  if (port < 1 || port + tasks > 0xffff) return "the children's ports, from the next one on, go up to 65535 at most";
  return undefined;
}

function refused(reason: string): Error {
  return cliError("VERBENA_CLI_STRESS", { details: { reason: `the other side's options cannot be met: ${reason}` } });
}

const flagNames = (): [keyof typeof FLAG, number][] => Object.entries(FLAG) as [keyof typeof FLAG, number][];

import { IpAddress } from "@verbena/ib";
import { parseDurationMs } from "../../../duration.js";
import { cliError } from "../../../errors.js";
import { wholeNumber } from "../../../numbers.js";
import { ipArgument, type TransportChoice } from "../stack.js";
import { countValue } from "../values.js";
import { LEAST_BYTES, type LinkOptions, sizeProblem } from "./link-options.js";

/** Options of the command line, as they are written there: rds-stress' own, then those it does not have. */
export interface StressOptions extends TransportChoice {
  readonly sendAddr?: string;
  readonly recvAddr?: string;
  readonly port?: string;
  readonly ackBytes?: string;
  readonly reqBytes?: string;
  readonly depth?: string;
  readonly tasks?: string;
  readonly time?: string;
  readonly simplex?: boolean;
  readonly reportCpu?: boolean;
  readonly reportSummary?: boolean;
  readonly verify?: boolean;
  readonly trace?: boolean;
  readonly useCongMonitor?: string;
  readonly showParams?: boolean;
  readonly showPerfdata?: boolean;
  readonly connectRetries?: string;
  readonly showOutliers?: string;
  readonly showHistogram?: boolean;
  readonly count?: string;
  readonly warmUp?: string;
  readonly every?: string;
  readonly receiveBuffer?: string;
  readonly readRate?: string;
}

/** What is known of a run before its link is there. */
export interface StressSettings {
  /** Address of the link and of the datagrams; `undefined`: whatever the link has here. */
  readonly own: IpAddress | undefined;
  readonly port: number;
  /** Of the active side: what to do, and with whom. */
  readonly active: { readonly peer: IpAddress; readonly plan: Omit<LinkOptions, "receiveAddress"> } | undefined;
  /** This side's own, whatever the other has. */
  readonly local: LocalSettings;
}

/** What each side has for itself. */
export interface LocalSettings {
  readonly isJson: boolean;
  readonly reportsCpu: boolean;
  readonly outliersUs: number | undefined;
  readonly showsHistogram: boolean;
  /** The active side ends when each of its children has had so many answers from each of the other's. */
  readonly mostRequests: number;
  /** Before statistics begin, milliseconds; children begin in the middle of it. */
  readonly warmUpMs: number;
  /** Between lines, milliseconds. */
  readonly everyMs: number;
  /** Payload bytes; `undefined`: enough for all that may be under way, as rds-stress has it. */
  readonly receiveBufferBytes: number | undefined;
  /** Messages that each child reads in a second at most. */
  readonly readRate: number | undefined;
}

/** Reads the command line. Throws `VERBENA_CLI_USAGE_…`. */
export function stressSettings(options: StressOptions): StressSettings {
  const own = options.recvAddr === undefined ? undefined : ipv4("--recv-addr", options.recvAddr);
  const port = number(options, "port", 4000);
  const local: LocalSettings = {
    isJson: options.json === true,
    reportsCpu: options.reportCpu === true,
    outliersUs: options.showOutliers === undefined ? undefined : number(options, "showOutliers", 0),
    showsHistogram: options.showHistogram === true,
    mostRequests: number(options, "count", Number.POSITIVE_INFINITY),
    warmUpMs: parseDurationMs(options.warmUp ?? defaultWarmUp(options)),
    everyMs: parseDurationMs(options.every ?? "1"),
    receiveBufferBytes: options.receiveBuffer === undefined ? undefined : number(options, "receiveBuffer", 0),
    readRate: options.readRate === undefined ? undefined : Math.max(1, number(options, "readRate", 1)),
  };
  if (local.everyMs < 1) throw usage("--every is a millisecond at least");
  const shared = { own: isAny(own) ? undefined : own, port, local };
  if (options.sendAddr === undefined) {
    const other = ONLY_ACTIVE.find((name) => options[name] !== undefined);
    if (other !== undefined) throw usage(`${optionName(other)} is the active side's to say: it needs --send-addr`);
    return { ...shared, active: undefined };
  }
  const peer = ipv4("--send-addr", options.sendAddr);
  const plan = activePlan(options, peer, port);
  const problem = sizeProblem({ ...plan, receiveAddress: peer });
  if (problem !== undefined) throw usage(problem);
  return { ...shared, active: { peer, plan } };
}

/** As rds-stress has it; none where the count is all that is wanted and the other side, in this process, begins at the same time. */
function defaultWarmUp({ count, transport }: StressOptions): string {
  return count !== undefined && transport === "loop" ? "0" : "4";
}

/** What the passive side is told over the link. */
const ONLY_ACTIVE = [
  "ackBytes",
  "reqBytes",
  "depth",
  "tasks",
  "time",
  "simplex",
  "verify",
  "count",
  "connectRetries",
  "showParams",
  "useCongMonitor",
] as const satisfies readonly (keyof StressOptions)[];

function activePlan(options: StressOptions, sendAddress: IpAddress, port: number): Omit<LinkOptions, "receiveAddress"> {
  return {
    depth: number(options, "depth", 1),
    requestBytes: number(options, "reqBytes", 1024),
    ackBytes: number(options, "ackBytes", LEAST_BYTES),
    rdmaBytes: 0,
    sendAddress,
    port,
    tasks: number(options, "tasks", 1),
    runTimeSeconds: number(options, "time", 0),
    isSummaryOnly: options.reportSummary === true,
    traces: options.trace === true,
    verifies: options.verify === true,
    showsParams: options.showParams === true,
    showsPerfdata: options.showPerfdata === true,
    usesCongestionMonitor: wholeNumber("--use-cong-monitor", options.useCongMonitor ?? "1", { from: 0, to: 1 }) === 1,
    isSimplex: options.simplex === true,
    connectRetries: number(options, "connectRetries", 0),
  };
}

type Name = Exclude<keyof StressOptions, keyof TransportChoice>;

/** A number as the tools of RDS write it, of 32 bits at most. */
function number(options: StressOptions, name: Name, fallback: number): number {
  const text = options[name];
  if (typeof text !== "string") return fallback;
  const value = countValue(optionName(name), text);
  if (value > 0xffff_ffff) throw usage(`${optionName(name)} is at most ${String(0xffff_ffff)}`);
  return value;
}

/** `reqBytes` is written `--req-bytes`. */
const optionName = (name: Name): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

function ipv4(option: string, text: string): IpAddress {
  const address = ipArgument(text);
  if (IpAddress.family(address) === 4) return address;
  throw usage(`${option} takes an IPv4 address: the messages of rds-stress have no room for others`);
}

const isAny = (address: IpAddress | undefined): boolean => address === "0.0.0.0";

const usage = (what: string): Error => cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what } });

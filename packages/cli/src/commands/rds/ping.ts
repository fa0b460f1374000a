import { setInterval } from "node:timers/promises";
import { type IpAddress, VerbenaError } from "@verbena/ib";
import type { RdsSocket, RdsStack } from "@verbena/rds";
import { parseDurationMs } from "../../duration.js";
import { endOfWatch } from "../../end-of-watch.js";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { PingTurns } from "./ping-turns.js";
import { ipArgument, sourceFor, type TransportChoice, withStack } from "./stack.js";
import { type RefusedOptions, refuseUnsupported } from "./unsupported.js";
import { countValue, intervalMs } from "./values.js";

export interface PingOptions extends TransportChoice, Pick<RefusedOptions, "tos"> {
  readonly count?: string;
  readonly interval?: string;
  readonly source?: string;
  readonly for?: string;
}

/** As rds-ping has it: each of them has one ping under way at most, and they take turns. */
const SOCKETS = 8;

/** One answer. */
interface Pong {
  readonly sequence: number;
  readonly usec: number;
  readonly from: IpAddress;
  /** Nobody waited for it any more. */
  readonly isDuplicate: boolean;
}

/** Measures the time from an empty message to port 0 of the destination until its empty answer. */
export async function pingRds(destination: string, options: PingOptions, io: Io): Promise<ExitCode> {
  refuseUnsupported(options);
  const to = ipArgument(destination);
  const most =
    options.count === undefined ? Number.POSITIVE_INFINITY : atLeastOne(countValue("--count", options.count));
  const everyMs = intervalMs(options.interval ?? "1");
  const source = options.source === undefined ? await sourceFor(to) : ipArgument(options.source);
  using ending = endOfWatch();
  if (options.for !== undefined) ending.after(parseDurationMs(options.for));
  return await withStack(options, source, async (stack) => {
    let answered = 0;
    const pinger = await Pinger.open(stack, { source, isChosen: options.transport !== undefined }, to, (pong) => {
      io.out(options.json === true ? `${JSON.stringify(pong)}\n` : line(pong, to));
      if (!pong.isDuplicate) answered += 1;
      if (answered >= most) ending.now();
    });
    await pinger.run(everyMs, ending.signal);
    if (answered > 0) return EXIT.OK;
    const { sent } = pinger;
    io.out(options.json === true ? `${JSON.stringify({ sent, answered })}\n` : `${String(sent)} sent, 0 answered\n`);
    return EXIT.FAILED;
  });
}

function atLeastOne(count: number): number {
  if (count > 0) return count;
  throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what: "--count takes a whole number from 1, not 0" } });
}

function line({ sequence, usec, from, isDuplicate }: Pong, to: IpAddress): string {
  const marks = (from === to ? "" : ` (${from})`) + (isDuplicate ? " DUP!" : "");
  return ` ${String(sequence).padStart(3)}: ${String(Math.round(usec))} usec${marks}\n`;
}

/** The same error; where nothing serves the source and no transport was chosen, with a hint at the options that change that. */
function withWayOut(error: unknown, source: string, isChosen: boolean): unknown {
  if (isChosen || !VerbenaError.is(error, "VERBENA_RDS_EADDRNOTAVAIL")) return error;
  const { code, message, details, errno, syscall } = error;
  const hint = `neither loop nor the kernel's RDS serves ${source}: choose --transport tcp, or another address of this host with --source`;
  return new VerbenaError(code, message, { hint, cause: error, details, errno, syscall });
}

/** Sockets that ping in turn. */
class Pinger {
  readonly #turns = new PingTurns(SOCKETS);

  private constructor(
    private readonly sockets: readonly RdsSocket[],
    private readonly to: IpAddress,
    private readonly onPong: (pong: Pong) => void,
  ) {}

  /** `isChosen`: the user has chosen the transport. */
  static async open(
    stack: RdsStack,
    { source, isChosen }: { readonly source: string; readonly isChosen: boolean },
    to: IpAddress,
    onPong: (pong: Pong) => void,
  ): Promise<Pinger> {
    const sockets = Array.from({ length: SOCKETS }, () => stack.createSocket());
    await Promise.all(sockets.map((socket) => socket.bind(source, 0))).catch((error: unknown) => {
      throw withWayOut(error, source, isChosen);
    });
    return new Pinger(sockets, to, onPong);
  }

  /** Pings so far, answered or not. */
  get sent(): number {
    return this.#turns.sent;
  }

  /** Sends one ping at once, and others as time goes on, until the signal. */
  async run(everyMs: number, signal: AbortSignal): Promise<void> {
    const receiving = this.sockets.map((socket, index) => this.#receive(socket, index));
    try {
      this.#next();
      for await (const _ of setInterval(everyMs, undefined, { signal })) this.#next();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await Promise.all(this.sockets.map((socket) => socket.close()));
    await Promise.all(receiving);
  }

  #next(): void {
    const index = this.#turns.take(process.hrtime.bigint());
    if (index !== undefined) this.sockets[index]?.trySend("", { to: { address: this.to, port: 0 } });
  }

  async #receive(socket: RdsSocket, index: number): Promise<void> {
    for await (const item of socket) {
      if (item.type !== "message") continue;
      const now = process.hrtime.bigint();
      const ping = this.#turns.answered(index);
      const usec = ping === undefined ? 0 : Number(now - ping.sentNs) / 1000;
      const { address: from } = item.source;
      this.onPong({ sequence: ping?.sequence ?? 0, usec, from, isDuplicate: ping === undefined });
    }
  }
}

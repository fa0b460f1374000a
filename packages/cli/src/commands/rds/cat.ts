import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { VerbenaError } from "@verbena/ib";
import { RdsAddress, type RdsSocket } from "@verbena/rds";
import { endOfWatch } from "../../end-of-watch.js";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { type TransportChoice, withStack } from "./stack.js";
import { countValue } from "./values.js";

export interface CatOptions extends TransportChoice {
  readonly bind: string;
  readonly to?: string;
  readonly count?: string;
}

/**
 * A line of `input` is a datagram, a datagram received a line of output. Ends when the input has ended, all of it has been acknowledged, and
 * `count` datagrams have come (default: none with a destination, any number without); or at a signal.
 */
export async function catRds(options: CatOptions, input: Readable, io: Io): Promise<ExitCode> {
  const local = RdsAddress.parse(options.bind);
  const to = options.to === undefined ? undefined : RdsAddress.parse(options.to);
  if (to?.port === 0) {
    const what = `--to ${options.to ?? ""}: port 0 of a host answers pings and takes no datagrams`;
    const hint = `name the port of a socket, or measure the round trip with \`verbena rds ping ${to.address}\``;
    throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what }, hint });
  }
  const unbounded = to === undefined ? Number.POSITIVE_INFINITY : 0;
  const wanted = options.count === undefined ? unbounded : countValue("--count", options.count);
  using ending = endOfWatch();
  const { signal } = ending;
  return await withStack(options, local.address, async (stack) => {
    const socket = stack.createSocket();
    const bound = await socket.bind(local);
    io.err(`bound to ${RdsAddress.format(bound)}\n`);
    try {
      const sending = to === undefined ? Promise.resolve() : sendLines(socket, to, input, signal);
      await Promise.all([sending, printDatagrams(socket, wanted, options.json === true, signal, io)]);
    } catch (error) {
      if (!(signal.aborted && VerbenaError.is(error, "VERBENA_RDS_ABORTED"))) throw error;
    } finally {
      input.destroy();
    }
    return EXIT.OK;
  });
}

async function sendLines(socket: RdsSocket, to: RdsAddress, input: Readable, signal: AbortSignal): Promise<void> {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, signal });
  for await (const line of lines) await socket.send(line, { to, signal });
  await socket.drain({ signal });
}

async function printDatagrams(
  socket: RdsSocket,
  wanted: number,
  json: boolean,
  signal: AbortSignal,
  io: Io,
): Promise<void> {
  let received = 0;
  while (received < wanted) {
    const item = await socket.receive({ signal });
    if (item.type !== "message") continue;
    received += 1;
    const text = item.data.toString("utf8");
    io.out(json ? `${JSON.stringify({ from: RdsAddress.format(item.source), data: text })}\n` : `${text}\n`);
  }
}

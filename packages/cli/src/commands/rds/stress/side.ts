import { setInterval, setTimeout } from "node:timers/promises";
import type { QueuedMessageInfo } from "@verbena/core/sdk";
import type { IpAddress } from "@verbena/ib";
import type { RdsSocket, RdsStack } from "@verbena/rds";
import { cliError } from "../../../errors.js";
import type { Io } from "../../../io.js";
import { Child } from "./child.js";
import { noCounts, RttHistogram } from "./counters.js";
import { Exchange } from "./exchange.js";
import type { StressLink } from "./link.js";
import type { LinkOptions } from "./link-options.js";
import { HEADER_BYTES, pattern } from "./message.js";
import { LimitedPace, UNHURRIED } from "./reading-pace.js";
import { type Moment, StressReport } from "./report.js";
import type { LocalSettings } from "./settings.js";

/** One side of a run, with its link. */
export interface Side {
  readonly isActive: boolean;
  readonly own: IpAddress;
  readonly peer: IpAddress;
  readonly plan: LinkOptions;
  readonly local: LocalSettings;
  readonly link: StressLink;
  readonly stack: RdsStack;
  readonly io: Io;
}

const GO = Buffer.of(1);

/** Opens the children, waits for the other side's, and lets them go on until the end of the run. Rejects with `VERBENA_CLI_STRESS`. */
export async function runSide(side: Side, signal: AbortSignal): Promise<void> {
  const { isActive, link, local, plan, io } = side;
  const say = (text: string): void => {
    if (!local.isJson) io.out(text);
  };
  const histogram = new RttHistogram();
  const counts = noCounts();
  const sockets = await openSockets(side);
  const children = makeChildren(side, sockets, { counts, onRtt: rttWatch(side, histogram) });
  if (isActive) link.write(GO);
  await link.read(1);
  if (!isActive) link.write(GO);
  const half = local.warmUpMs / 2;
  say(`negotiated options, tasks will start in ${String(half / 1000)} seconds\n`);

  const moment = async (): Promise<Moment> => ({
    atMs: performance.now(),
    counts: { ...counts },
    rds: plan.showsPerfdata ? ((await sockets[0]?.info("counters")) ?? []) : [],
    queues: local.isJson ? await queues(side, sockets) : undefined,
  });
  using run = new Run(signal);
  const start = (): void => {
    run.start(children);
    void link.ended().then(() => {
      if (isActive) run.fail(failed("the other side has ended the link"));
      else run.end();
    });
  };
  let begin: Moment;
  if (half > 0) {
    say("Starting up");
    await wait(half, say, signal);
    const started = await moment();
    start();
    await wait(half, say, run.signal);
    say("\n");
    // A run that is over already has nothing behind the warm-up: what there is to tell is within it.
    begin = run.signal.aborted ? started : await moment();
  } else {
    begin = await moment();
    start();
  }
  const report = new StressReport(plan, local, io, begin);
  if (isActive && plan.runTimeSeconds > 0) run.endAfter(plan.runTimeSeconds * 1000);
  try {
    for await (const _ of setInterval(local.everyMs, undefined, { signal: run.signal })) report.line(await moment());
  } catch (error) {
    if (!run.signal.aborted) throw error;
  }
  report.summary(await moment());
  await run.finish();
  if (local.showsHistogram) say(histogram.toString());
}

/** Two dots, and the time they take. */
async function wait(ms: number, say: (text: string) => void, signal: AbortSignal): Promise<void> {
  for (let dots = 0; dots < 2 && !signal.aborted; dots++) {
    await setTimeout(ms / 2, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    say(".");
  }
}

async function openSockets({ stack, own, plan, local, io }: Side): Promise<readonly RdsSocket[]> {
  const size = plan.tasks * plan.depth * (plan.requestBytes + plan.ackBytes) * 2;
  const sockets: RdsSocket[] = [];
  for (let id = 0; id < plan.tasks; id++) {
    const receiveBufferSize = Math.max(1152, local.receiveBufferBytes ?? size);
    const socket = stack.createSocket({ sendBufferSize: Math.max(2304, size), receiveBufferSize });
    await socket.bind(own, plan.port + 1 + id);
    if (id === 0 && socket.sendBufferSize < size) {
      io.err(`the send buffer has ${String(socket.sendBufferSize)} bytes, ${String(size)} were wanted\n`);
    }
    sockets.push(socket);
  }
  return sockets;
}

interface Watched {
  readonly counts: ReturnType<typeof noCounts>;
  readonly onRtt: (us: number) => void;
}

function makeChildren(side: Side, sockets: readonly RdsSocket[], watched: Watched): readonly Child[] {
  const { isActive, own, peer, plan, local, io } = side;
  const { depth, requestBytes, ackBytes } = plan;
  const payload = plan.verifies ? pattern(Math.max(requestBytes, ackBytes) - HEADER_BYTES) : undefined;
  const rules = { depth, requestBytes, ackBytes, pattern: payload };
  return sockets.map((socket, id) => {
    const from = { address: own, port: plan.port + 1 + id };
    const exchanges = sockets.map(
      (_, other) => new Exchange(from, { address: peer, port: plan.port + 1 + other }, rules),
    );
    const trace = (line: string): void => {
      io.err(`${String(from.port)}: ${line}\n`);
    };
    return new Child(socket, exchanges, {
      ...rules,
      ...watched,
      sendsRequests: isActive || !plan.isSimplex,
      mostRequests: isActive ? local.mostRequests : Number.POSITIVE_INFINITY,
      usesCongestionMonitor: plan.usesCongestionMonitor,
      pace: local.readRate === undefined ? UNHURRIED : new LimitedPace(local.readRate),
      trace: plan.traces ? trace : undefined,
    });
  });
}

/** Takes note of each round trip. */
function rttWatch({ local, io }: Side, histogram: RttHistogram): (us: number) => void {
  const { outliersUs, isJson } = local;
  return (us) => {
    histogram.add(us);
    if (outliersUs === undefined || us < outliersUs) return;
    io.out(isJson ? `${JSON.stringify({ type: "outlier", rttUs: us })}\n` : `outlier: ${us.toFixed(0)} us\n`);
  };
}

async function queues({ own, plan }: Side, sockets: readonly RdsSocket[]): Promise<Moment["queues"]> {
  const bytesOf = async (list: "sendQueue" | "retransmitQueue" | "receiveQueue"): Promise<number> => {
    const messages: readonly QueuedMessageInfo[] = (await sockets[0]?.info(list)) ?? [];
    return messages
      .filter(({ local: { address, port } }) => address === own && port > plan.port && port <= plan.port + plan.tasks)
      .reduce((sum, { length }) => sum + length, 0);
  };
  const [unsent, unacked, unread] = await Promise.all([
    bytesOf("sendQueue"),
    bytesOf("retransmitQueue"),
    bytesOf("receiveQueue"),
  ]);
  return { sendQueueBytes: unsent + unacked, receiveQueueBytes: unread };
}

/** Children at work, and what ends them: the signal, a time, an end that was reached, or a failure. */
class Run implements Disposable {
  readonly #over = new AbortController();
  readonly #children = new AbortController();
  #working: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;

  constructor(private readonly outer: AbortSignal) {
    outer.addEventListener("abort", this.end);
    if (outer.aborted) this.end();
  }

  /** Aborted when the run is over; the children go on until {@link finish}, so that what they have done can be counted. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  start(children: readonly Child[]): void {
    let left = children.length;
    const onDone = (): void => {
      left -= 1;
      if (left === 0) this.end();
    };
    const fail = (error: unknown): void => {
      this.fail(error);
    };
    this.#working = Promise.all(children.map((child) => child.run(this.#children.signal, onDone).catch(fail)));
  }

  readonly end = (): void => {
    this.#over.abort();
  };

  endAfter(ms: number): void {
    this.#timer = globalThis.setTimeout(this.end, ms);
  }

  fail(error: unknown): void {
    if (!this.#over.signal.aborted) this.#failure ??= error;
    this.end();
  }

  /** Ends the children. Rejects if one has failed. */
  async finish(): Promise<void> {
    this.#children.abort();
    await this.#working;
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.outer.removeEventListener("abort", this.end);
    this.end();
    this.#children.abort();
  }
}

const failed = (reason: string): Error => cliError("VERBENA_CLI_STRESS", { details: { reason } });

import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import {
  describePacket,
  PcapngEncoder,
  SimControlClient,
  type TraceEventName,
  type TracePacketMessage,
  type TraceSelection,
} from "@verbena/fabric-sim";
import { parseDurationMs } from "../../duration.js";
import { endOfWatch } from "../../end-of-watch.js";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { wholeNumber } from "../../numbers.js";
import { needDir } from "./need-dir.js";
import { TraceLines } from "./trace-lines.js";

/** Options of `sim ctl trace` as they were typed. */
export interface TraceOptions {
  readonly dir?: string;
  readonly node?: string;
  readonly port?: string;
  readonly class?: string;
  readonly attribute?: string;
  readonly event?: string;
  readonly drops?: boolean;
  readonly count?: string;
  readonly for?: string;
  readonly pcap?: string;
  readonly json?: boolean;
}

const EVENTS: readonly TraceEventName[] = ["send", "forward", "deliver", "drop"];

/** Prints packets until the count is reached, the time is over, a signal comes or the fabric ends. */
export async function traceFabric(options: TraceOptions, io: Io): Promise<ExitCode> {
  const dir = needDir(options);
  const selection = selectionOf(options);
  const count = options.count === undefined ? Number.POSITIVE_INFINITY : wholeNumber("--count", options.count);
  const forMs = options.for === undefined ? undefined : parseDurationMs(options.for);
  await using capture = options.pcap === undefined ? undefined : await Capture.open(options.pcap);
  using ending = endOfWatch();
  const lines = new TraceLines();
  let printed = 0;
  for await (const message of SimControlClient.trace(dir, { ...selection, signal: ending.signal })) {
    if (message.type === "synced") {
      io.err("tracing\n");
      if (forMs !== undefined) ending.after(forMs);
      if (count === 0) break;
    } else if (message.type === "lost") {
      io.out(options.json === true ? `${JSON.stringify(message)}\n` : lines.lost(message.count));
    } else {
      const bytes = Buffer.from(message.bytes, "hex");
      io.out(options.json === true ? `${JSON.stringify(jsonOf(message, bytes))}\n` : lines.packet(message, bytes));
      await capture?.add(message, bytes);
      printed += 1;
      if (printed >= count) break;
    }
  }
  return EXIT.OK;
}

function selectionOf({ node, port, class: className, attribute, event, drops }: TraceOptions): TraceSelection {
  const events = drops === true ? (["drop"] as const) : event?.split(",").map(eventNamed);
  return {
    ...(node === undefined ? {} : { node }),
    ...(port === undefined ? {} : { port: wholeNumber("--port", port, { from: 0, to: 254 }) }),
    ...(className === undefined ? {} : { class: className }),
    ...(attribute === undefined ? {} : { attribute }),
    ...(events === undefined ? {} : { events }),
  };
}

function eventNamed(text: string): TraceEventName {
  const event = EVENTS.find((name) => name === text.trim());
  if (event !== undefined) return event;
  throw cliError("VERBENA_CLI_USAGE_ARGUMENT", {
    details: { what: `--event takes ${EVENTS.join(", ")} or a comma list of them, not "${text}"` },
  });
}

/** The message with the packet's headers decoded. */
function jsonOf(message: TracePacketMessage, bytes: Buffer): object {
  return { ...message, packet: describePacket(bytes) };
}

/** A capture file. It takes each packet once, where it was seen first. */
class Capture implements AsyncDisposable {
  readonly #encoder = new PcapngEncoder();
  #lastNumber = 0;
  #failure: Error | undefined;
  #isFailureTold = false;

  private constructor(
    private readonly file: string,
    private readonly stream: WriteStream,
  ) {
    stream.on("error", (error) => {
      this.#failure = error;
    });
    stream.write(this.#encoder.header());
  }

  static async open(file: string): Promise<Capture> {
    const stream = createWriteStream(file);
    try {
      await once(stream, "open");
    } catch (cause) {
      throw cannotWrite(file, cause);
    }
    return new Capture(file, stream);
  }

  async add({ number, port, reason, epochMs }: TracePacketMessage, bytes: Buffer): Promise<void> {
    this.#tellFailure();
    // Numbers are given in the order in which packets are seen first.
    if (number <= this.#lastNumber) return;
    this.#lastNumber = number;
    const packet = this.#encoder.packet({ interfaceName: port, epochMs, bytes, comment: reason });
    const hasRoom = this.stream.write(packet);
    if (hasRoom) return;
    await once(this.stream, "drain").catch(() => undefined);
    this.#tellFailure();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stream.end();
    // What the end itself finds out (the last bytes did not fit) comes by no other way in time.
    await finished(this.stream).catch((error: unknown) => {
      this.#failure ??= error instanceof Error ? error : new Error(String(error));
    });
    this.#tellFailure();
  }

  /** Once: a disposal that throws what is on its way already would hide it. */
  #tellFailure(): void {
    if (this.#failure === undefined || this.#isFailureTold) return;
    this.#isFailureTold = true;
    throw cannotWrite(this.file, this.#failure);
  }
}

function cannotWrite(file: string, cause: unknown): Error {
  const problem = cause instanceof Error ? cause.message : String(cause);
  return cliError("VERBENA_CLI_FILE", { details: { file, problem }, cause });
}

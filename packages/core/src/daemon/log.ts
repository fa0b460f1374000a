import { printableLines, VerbenaError } from "@verbena/ib";
import pino, { type DestinationStream, type Logger as Pino } from "pino";
import { LineQueue } from "../log/line-queue.js";
import { openOutlet } from "../log/outlet.js";
import type { Logger } from "../sdk/services.js";

/** `log_level` of the configuration. */
export type LogLevel = 0 | 1 | 2;

/**
 * Between `info` and `warn`: what is said once per start, stop or reload. Level 0 shows notices, warnings and errors, 1 also `info`
 * (more of the set-up), 2 also `debug` (every operation).
 */
const LEVELS = { notice: 35 } as const;
const PINO_LEVEL: Readonly<Record<LogLevel, string>> = { 0: "notice", 1: "info", 2: "debug" };

/** How a log is opened. */
export interface LogOptions {
  /** `stdout`, `stderr` or a path. */
  readonly file: string;
  readonly level: LogLevel;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The daemon's log: one JSON object per line. A file is emptied when the log is first opened and appended to when it is opened again
 * (`reopen`, after the file was rotated away); where it cannot be opened, lines go to standard output. Nothing waits for a slow disk or
 * reader: 1 MiB of lines is kept for it, lines beyond are lost and counted by a line of their own.
 */
export class DaemonLog implements Disposable {
  #options: LogOptions;
  readonly #open: typeof openOutlet;
  readonly #switch: QueueSwitch;
  /** The one before, while it may still have lines to write. */
  #old: LineQueue | undefined;
  readonly #pino: Pino<keyof typeof LEVELS>;
  /** For everything the daemon is made of. */
  readonly logger: Logger;

  /** `open`: for tests. */
  constructor(options: LogOptions, open = openOutlet) {
    this.#options = options;
    this.#open = open;
    const { outlet, problem } = open(options.file, true);
    this.#switch = new QueueSwitch(new LineQueue(outlet, lostLine));
    this.#pino = pino(
      {
        customLevels: LEVELS,
        level: PINO_LEVEL[options.level],
        base: { pid: process.pid },
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        serializers: { error: serializeError, err: serializeError },
      },
      this.#switch,
    );
    this.logger = adapt(this.#pino);
    this.#complain(problem);
  }

  /** A line that every level shows: start, ready, reload, stop. */
  notice(message: string, fields: Fields = {}): void {
    this.#pino.notice(fields, message);
  }

  /** Changes level or file while running, and opens the file anew in any case. */
  reopen(options: LogOptions): void {
    const isSame = options.file === this.#options.file;
    this.#options = options;
    this.#pino.level = PINO_LEVEL[options.level];
    // There is nothing to open anew, and what waits for its reader stays in order.
    if (isSame && ["stdout", "stderr"].includes(options.file.toLowerCase())) return;
    const { outlet, problem } = this.#open(options.file, !isSame);
    // One that has not got rid of its lines since the last time will not; there are never more than two.
    this.#old?.abandon();
    this.#old = this.#switch.queue;
    this.#old.close();
    // Where nothing was rotated away, both write to one file.
    const after = isSame ? this.#old.idle() : undefined;
    this.#switch.queue = new LineQueue(outlet, lostLine, after);
    this.#complain(problem);
  }

  /** Resolves when every line has been written or lost. */
  async flushed(): Promise<void> {
    await Promise.all([this.#switch.queue.idle(), this.#old?.idle()]);
  }

  /** Takes no more lines; those that wait are still written. */
  [Symbol.dispose](): void {
    this.#switch.queue.close();
  }

  /** Gives up what has not been written yet: a reader that does not read must not keep the process. */
  abandon(): void {
    this.#old?.abandon();
    this.#switch.queue.abandon();
  }

  #complain(problem: string | undefined): void {
    if (problem === undefined) return;
    this.logger.error("log file cannot be opened, lines go to standard output", { file: this.#options.file, problem });
  }
}

/** Where pino writes: a queue that can be exchanged. */
class QueueSwitch implements DestinationStream {
  constructor(public queue: LineQueue) {}

  write(line: string): void {
    // Logs are looked at in terminals, and what is in them comes from strangers, too.
    this.queue.write(printableLines(line));
  }
}

/** In the form of the other lines, so that whatever reads the log finds it. */
function lostLine(lost: number): string {
  const line = {
    level: "warn",
    time: new Date().toISOString(),
    pid: process.pid,
    lost,
    msg: "log lines were lost here",
  };
  return `${JSON.stringify(line)}\n`;
}

function adapt(target: Pino<keyof typeof LEVELS>): Logger {
  return {
    debug: (message, fields = {}) => {
      target.debug(fields, message);
    },
    info: (message, fields = {}) => {
      target.info(fields, message);
    },
    warn: (message, fields = {}) => {
      target.warn(fields, message);
    },
    error: (message, fields = {}) => {
      target.error(fields, message);
    },
    child: (fields) => adapt(target.child(fields)),
  };
}

/**
 * Errors in full, whatever else somebody logs under the same key as it is. Of one that has a code and nothing beneath it the stack says
 * nothing: it was foreseen, such as a mistake in a file.
 */
function serializeError(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { stack, ...rest } = pino.stdSerializers.err(value);
  return VerbenaError.is(value) && value.cause === undefined ? rest : { ...rest, stack };
}

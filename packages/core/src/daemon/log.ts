import { closeSync, openSync, writeSync } from "node:fs";
import pino, { type DestinationStream, type Logger as Pino } from "pino";
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
 * (`reopen`, after the file was rotated away); where it cannot be opened, lines go to standard output.
 */
export class DaemonLog implements Disposable {
  #options: LogOptions;
  #fd: number;
  readonly #switch: FdSwitch;
  readonly #pino: Pino<keyof typeof LEVELS>;
  /** For everything the daemon is made of. */
  readonly logger: Logger;

  constructor(options: LogOptions) {
    this.#options = options;
    const { fd, problem } = openLog(options.file, "w");
    this.#fd = fd;
    this.#switch = new FdSwitch(fd);
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
    const { fd, problem } = openLog(options.file, isSame ? "a" : "w");
    const old = this.#fd;
    this.#switch.fd = fd;
    this.#fd = fd;
    if (old > 2) closeSync(old);
    this.#options = options;
    this.#pino.level = PINO_LEVEL[options.level];
    this.#complain(problem);
  }

  [Symbol.dispose](): void {
    const fd = this.#fd;
    this.#fd = 1;
    this.#switch.fd = 1;
    if (fd > 2) closeSync(fd);
  }

  #complain(problem: string | undefined): void {
    if (problem === undefined) return;
    this.logger.error("log file cannot be opened, lines go to standard output", { file: this.#options.file, problem });
  }
}

/** Where pino writes: a descriptor that can be exchanged. Lines are written at once; a reader that does not keep up loses lines. */
class FdSwitch implements DestinationStream {
  constructor(public fd: number) {}

  write(line: string): void {
    try {
      writeSync(this.fd, line);
    } catch {
      // A full disk or a closed pipe must not stop the daemon, and there is no other place to say so.
    }
  }
}

function openLog(file: string, flags: "w" | "a"): { readonly fd: number; readonly problem?: string } {
  if (file.toLowerCase() === "stdout") return { fd: 1 };
  if (file.toLowerCase() === "stderr") return { fd: 2 };
  try {
    return { fd: openSync(file, flags, 0o640) };
  } catch (error) {
    return { fd: 1, problem: error instanceof Error ? error.message : String(error) };
  }
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

/** Errors in full, whatever else somebody logs under the same key as it is. */
function serializeError(value: unknown): unknown {
  return value instanceof Error ? pino.stdSerializers.err(value) : value;
}

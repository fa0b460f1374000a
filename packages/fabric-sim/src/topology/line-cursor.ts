import { type SimErrorCode, simError } from "../errors.js";
import type { SourcePlace } from "./model.js";

/** Reads one line of a topology file from left to right and knows the column of what it reads. */
export class LineCursor {
  #at = 0;

  constructor(
    readonly text: string,
    readonly file: string,
    readonly line: number,
  ) {}

  /** The place of the next character, or of the character at `offset`. */
  place(offset = this.#at): SourcePlace {
    return { file: this.file, line: this.line, column: offset + 1 };
  }

  get offset(): number {
    return this.#at;
  }

  get rest(): string {
    return this.text.slice(this.#at);
  }

  skipSpace(): this {
    this.take(/\s*/y);
    return this;
  }

  /** Reads what a sticky pattern matches here; `undefined` and no movement if it does not match. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match;
  }

  /** As `take`, but the pattern must match. */
  need(pattern: RegExp, what: string, hint: string): RegExpExecArray {
    const match = this.take(pattern);
    if (match === undefined) {
      const found = this.rest === "" ? "the line ends" : `found "${this.rest.slice(0, 24)}"`;
      throw this.error("VERBENA_SIM_TOPOLOGY_SYNTAX", `expected ${what}, ${found}`, hint);
    }
    return match;
  }

  error(code: SimErrorCode, problem: string, hint: string, offset = this.#at): Error {
    return topologyError(code, this.place(offset), problem, hint);
  }
}

/** `file:line:column`, as compilers write it. */
export function formatPlace({ file, line, column }: SourcePlace): string {
  return `${file}:${line}:${column}`;
}

/** A coded error that begins with `file:line:column`. */
export function topologyError(code: SimErrorCode, place: SourcePlace, problem: string, hint: string): Error {
  return simError(code, { details: { place: formatPlace(place), problem, ...place }, hint });
}

import type { DiagnosticSink } from "./diagnostic.js";

/** ibacm reads its files through a buffer of this many characters, line end included. */
export const LINE_LIMIT = 119;

/** More words than any line has a meaning for; a line may be as long as the file. */
const MAX_WORDS = 16;

/** A line of one of ibacm's files, without comments and blank lines. */
export interface ConfigLine {
  /** From 1. */
  readonly number: number;
  /** White-space separated, the first {@link MAX_WORDS}; never empty. */
  readonly words: readonly string[];
}

/**
 * Lines of a file in ibacm's form: `#` in column 1 is a comment, words are separated by white space. A longer line than ibacm takes
 * is read whole, and the sink is told, because ibacm would read its tail as a line of its own.
 */
export function* configLines(text: string, file: string, sink: DiagnosticSink): Generator<ConfigLine> {
  let number = 0;
  for (const line of linesOf(text)) {
    number += 1;
    if (line.length >= LINE_LIMIT) {
      sink.add({
        severity: "warning",
        file,
        line: number,
        message: `line of ${String(line.length)} characters is read whole; ibacm would cut it after ${String(LINE_LIMIT)} and read the rest as another line`,
      });
    }
    if (line.startsWith("#")) continue;
    const words = line.split(/\s+/, MAX_WORDS).filter((word) => word !== "");
    if (words.length > 0) yield { number, words };
  }
}

/** One after another: the lines of a big file together take many times its size. */
export function* linesOf(text: string): Generator<string> {
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    yield text.slice(start, end > start && text[end - 1] === "\r" && found >= 0 ? end - 1 : end);
    start = end + 1;
  }
}

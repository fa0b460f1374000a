import { printableLines } from "@verbena/ib";
import type { Io } from "../io.js";

/** The same outputs, but what a terminal would act on is shown instead: names come from files, from packets and from other programs. */
export function printableIo(io: Io): Io {
  return {
    out: (text) => {
      io.out(printableLines(text));
    },
    err: (text) => {
      io.err(printableLines(text));
    },
  };
}

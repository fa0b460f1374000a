import { basename } from "node:path";
import { EXIT } from "./exit-code.js";
import type { Io } from "./io.js";
import { reportFailure } from "./output/fail.js";

/**
 * The program has three faces: under the names `ib_acme` and `ibacm` (a symbolic link, or argv[0]) it behaves as those programs do,
 * otherwise it is `verbena`. Returns the exit status.
 */
export async function runFace(argv: readonly string[], io: Io): Promise<number> {
  const name = basename(argv[1] ?? "").replace(/\.js$/, "");
  const rest = argv.slice(2);
  try {
    switch (name) {
      default: {
        const { runProgram } = await import("./program.js");
        let status: number = EXIT.OK;
        await runProgram(rest, {
          io,
          exit: (code) => {
            status = code;
          },
        });
        return status;
      }
    }
  } catch (error) {
    return reportFailure(error, io);
  }
}

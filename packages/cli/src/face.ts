import { basename } from "node:path";
import { EXIT } from "./exit-code.js";
import type { Io } from "./io.js";

const COMPATIBLE = ["ib_acme", "ibacm"] as const;

/**
 * The program has three faces: started under the name `ib_acme` or `ibacm` (a symbolic link to it, or argv[0]) it behaves as those
 * programs do, otherwise it is `verbena`. Returns the exit status. A face is loaded when it is the one.
 *
 * @param argv - Interpreter, program and words, as `process.argv` has them.
 * @param argv0 - Name the interpreter was called by, as `process.argv0`.
 */
export async function runFace(argv: readonly string[], io: Io, argv0 = ""): Promise<number> {
  const [, program = "", ...words] = argv;
  try {
    switch (faceOf(program, argv0)) {
      case "ib_acme":
        return await acme(words, io);
      case "ibacm": {
        const { runIbacm } = await import("./ibacm/run-ibacm.js");
        return await runIbacm(words, io);
      }
      default:
        // Its words are ib_acme's, `-h` and all: no other parser may see them.
        return words[0] === "acme" ? await acme(words.slice(1), io) : await verbena(words, io);
    }
  } catch (error) {
    const { reportFailure } = await import("./output/fail.js");
    return reportFailure(error, io);
  }
}

function faceOf(program: string, argv0: string): (typeof COMPATIBLE)[number] | undefined {
  const names = [program, argv0].map((path) => basename(path).replace(/\.js$/, ""));
  return COMPATIBLE.find((face) => names.includes(face));
}

async function acme(words: readonly string[], io: Io): Promise<number> {
  const { runAcme } = await import("./acme/index.js");
  return runAcme(words, io);
}

async function verbena(words: readonly string[], io: Io): Promise<number> {
  const { runProgram } = await import("./program.js");
  let status: number = EXIT.OK;
  await runProgram(words, {
    io,
    exit: (code) => {
      status = code;
    },
  });
  return status;
}

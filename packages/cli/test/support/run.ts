import { spawn } from "node:child_process";
import { runFace } from "../../src/face.js";
import { programPath } from "../../src/process/program-path.js";

export { programPath };

/** What a program left behind. */
export interface Run {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line of `verbena` in this process: for commands that only ask. */
export async function ask(words: readonly string[]): Promise<Run> {
  let [out, err] = ["", ""];
  const status = await runFace(["node", "verbena", ...words], {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { status, out, err };
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Another program than `verbena`: its path. */
  readonly program?: string;
}

/** Runs a command line of the built program (or another one) to its end. */
export function run(words: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { env, cwd, program } = options;
  const [file, args] = program === undefined ? [process.execPath, [programPath(), ...words]] : [program, [...words]];
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env }, cwd });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({ status: code ?? -1, out, err });
    });
  });
}

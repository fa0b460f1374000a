import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { libfabricsimPath } from "@verbena/fabric-sim";

/** Why tests with these programs cannot run here, or `undefined`. */
export function missing(...programs: readonly string[]): string | undefined {
  const absent = programs.filter((program) => find(program) === undefined);
  if (absent.length > 0) return `not installed: ${absent.join(", ")} (scripts/bootstrap --peers)`;
  try {
    libfabricsimPath();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Path of a program; Debian keeps some of them where users' PATH does not look. */
export function find(program: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path) && isExecutable(path));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What a program printed, and its exit status. */
export interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, in the temporary folder: ibsim's preload makes folders where it runs. */
export function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Run> {
  return new Promise((settle) => {
    const options = { cwd: tmpdir(), env: { ...process.env, ...env }, maxBuffer: 1 << 28, timeout: 120_000 };
    execFile(find(program) ?? program, args, options, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      settle({ status, stdout, stderr });
    });
  });
}

/** What makes a program one of that node of our fabric. */
export function nodeVariables(dir: string, node: string): NodeJS.ProcessEnv {
  return { FABRICSIM_DIR: dir, FABRICSIM_NODE: node, LD_PRELOAD: libfabricsimPath() };
}

/** Runs a program on a node of our fabric. */
export function runOnNode(dir: string, node: string, program: string, ...args: readonly string[]): Promise<Run> {
  return run(program, args, nodeVariables(dir, node));
}

/** Splits the output of saquery into records: name of each field to its text, without the dots between. */
export function records(text: string): readonly Readonly<Record<string, string>>[] {
  return text
    .split(/^.* dump:$/m)
    .slice(1)
    .map(fields)
    .filter((one) => Object.keys(one).length > 0);
}

/** The text of each record whose heading is `NAME dump:`, with what is nested in it. */
export function recordTexts(text: string, name: string): readonly string[] {
  return text.split(new RegExp(`^${name} dump:$`, "m")).slice(1);
}

/** The lines `name....value` of a text. */
export function fields(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const line of text.split("\n")) {
    const [, name, value] = /^\s*([A-Za-z][\w/ ]*?):?\.{2,}(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) found[name] = value.trim();
  }
  return found;
}

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drawFabric, routeText, SimControlClient, startFabric } from "@verbena/fabric-sim";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";

/** Options of `sim graph` as they were typed. */
export interface GraphOptions {
  readonly dir?: string;
  readonly route?: readonly string[];
  readonly out?: string;
  readonly json?: boolean;
}

/** Draws a running fabric, or the one that a file describes as the built-in subnet manager would run it. */
export async function drawGraph(topology: string | undefined, options: GraphOptions, io: Io): Promise<ExitCode> {
  // `--route A B FILE` takes the file for a third end.
  const [from, to, behind, ...more] = options.route ?? [];
  const file = topology ?? behind;
  if (more.length > 0 || (topology !== undefined && behind !== undefined) || (from !== undefined && to === undefined)) {
    throw usage("--route takes two ends, FROM TO");
  }
  if ((file === undefined) === (options.dir === undefined))
    throw usage("sim graph takes a topology file, or --dir DIR");
  const ends = from === undefined || to === undefined ? undefined : { from, to };
  if (options.dir !== undefined) return draw(options.dir, ends, options, io);
  const dir = mkdtempSync(join(tmpdir(), "verbena-graph-"));
  try {
    await using fabric = await startFabric({ topology: file ?? "", dir: join(dir, "f") });
    return await draw(fabric.dir, ends, options, io);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function draw(
  dir: string,
  ends: { readonly from: string; readonly to: string } | undefined,
  { out, json }: GraphOptions,
  io: Io,
): Promise<ExitCode> {
  await using control = await SimControlClient.connect(dir);
  const status = await control.request({ op: "status" });
  const route = ends === undefined ? undefined : await control.request({ op: "routes", ...ends });
  const svg = drawFabric(status, { route });
  if (out === undefined) {
    io.out(svg);
    return EXIT.OK;
  }
  try {
    writeFileSync(out, svg);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw cliError("VERBENA_CLI_FILE", { details: { file: out, problem }, cause });
  }
  if (json === true) io.out(`${JSON.stringify({ file: out, ...(route === undefined ? {} : { route }) })}\n`);
  else if (route !== undefined) io.out(`${routeText(status, route).join("\n")}\n`);
  return EXIT.OK;
}

function usage(what: string): Error {
  return cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what } });
}

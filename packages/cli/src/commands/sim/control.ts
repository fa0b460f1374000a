import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { type ControlRequest, SimControlClient } from "@verbena/fabric-sim";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { parseControlWords } from "./control-words.js";
import { describeResult } from "./describe-result.js";
import { needDir } from "./need-dir.js";
import { parseScenario, runScenario } from "./scenario.js";

/** Sends one request to a running fabric and prints its answer. */
export async function controlFabric(
  words: readonly string[],
  options: { readonly dir?: string; readonly json?: boolean },
  io: Io,
): Promise<ExitCode> {
  const dir = needDir(options);
  if (words[0] === "scenario") return replay(words.slice(1), { ...options, dir }, io);
  const request = parseControlWords(words);
  await using control = await SimControlClient.connect(dir);
  const result = await control.request<ControlRequest>(request);
  io.out(options.json === true ? `${JSON.stringify(result)}\n` : describeResult(request, result));
  return EXIT.OK;
}

/** Replays a file of timed requests. It is read and checked as a whole before the first is sent. */
async function replay(
  [file, ...rest]: readonly string[],
  { dir, json }: { readonly dir: string; readonly json?: boolean },
  io: Io,
): Promise<ExitCode> {
  if (file === undefined || rest.length > 0) {
    throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what: "scenario takes `FILE`" } });
  }
  const steps = parseScenario(readScenario(file), file);
  await runScenario(steps, {
    send: async (request) => {
      // A connection of its own: the fabric answers one connection's requests one after another.
      await using control = await SimControlClient.connect(dir);
      await control.request<ControlRequest>(request);
    },
    wait: (delayMs) => wait(delayMs),
    onStep: ({ place, atMs, text, request }) => {
      io.out(json === true ? `${JSON.stringify({ place, atMs, request })}\n` : `${text}\n`);
    },
  });
  return EXIT.OK;
}

function readScenario(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw cliError("VERBENA_CLI_FILE", { details: { file, problem }, cause });
  }
}

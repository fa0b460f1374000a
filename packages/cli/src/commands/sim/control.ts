import { type ControlRequest, SimControlClient } from "@verbena/fabric-sim";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { parseControlWords } from "./control-words.js";
import { describeResult } from "./describe-result.js";

/** Sends one request to a running fabric and prints its answer. */
export async function controlFabric(
  words: readonly string[],
  options: { readonly dir: string; readonly json?: boolean },
  io: Io,
): Promise<ExitCode> {
  const request = parseControlWords(words);
  await using control = await SimControlClient.connect(options.dir);
  const result = await control.request<ControlRequest>(request);
  io.out(options.json === true ? `${JSON.stringify(result)}\n` : describeResult(request, result));
  return EXIT.OK;
}

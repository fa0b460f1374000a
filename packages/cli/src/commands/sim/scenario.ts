import type { ControlRequest } from "@verbena/fabric-sim";
import { VerbenaError } from "@verbena/ib";
import { parseDurationMs } from "../../duration.js";
import { cliError } from "../../errors.js";
import { parseControlWords } from "./control-words.js";

/** One line of a scenario. */
export interface ScenarioStep {
  /** `FILE:LINE`. */
  readonly place: string;
  /** Time from the start. */
  readonly atMs: number;
  /** The line without its comment. */
  readonly text: string;
  readonly request: ControlRequest;
}

/** What running a scenario needs. */
export interface ScenarioRun {
  readonly send: (request: ControlRequest) => Promise<unknown>;
  /** Resolves after so many milliseconds. */
  readonly wait: (delayMs: number) => Promise<void>;
  /** Called when a step is sent. */
  readonly onStep: (step: ScenarioStep) => void;
}

/**
 * Reads a scenario: lines `TIME REQUEST…`, the time from the start and never before the line above, the request in the words of `sim ctl`;
 * a word with blanks in double quotes; `#` at a word's begin starts a comment. Throws `VERBENA_CLI_SCENARIO` with file and line.
 */
export function parseScenario(content: string, file: string): readonly ScenarioStep[] {
  const steps: ScenarioStep[] = [];
  content.split("\n").forEach((line, index) => {
    const place = `${file}:${String(index + 1)}`;
    const [time, ...words] = atPlace(place, () => splitWords(line));
    if (time === undefined) return;
    const step = atPlace(place, () => ({
      place,
      atMs: parseDurationMs(time),
      text: [time, ...words].join(" "),
      request: parseControlWords(words),
    }));
    const before = steps.at(-1);
    if (before !== undefined && step.atMs < before.atMs) {
      throw cliError("VERBENA_CLI_SCENARIO", { details: { place, problem: `${time} is before the line above` } });
    }
    steps.push(step);
  });
  return steps;
}

/** Sends each step at its time; a step that takes long does not hold up the next. Throws `VERBENA_CLI_SCENARIO` if one is refused. */
export async function runScenario(steps: readonly ScenarioStep[], { send, wait, onStep }: ScenarioRun): Promise<void> {
  const pending: Promise<unknown>[] = [];
  const failures: unknown[] = [];
  let nowMs = 0;
  for (const step of steps) {
    if (step.atMs > nowMs) await wait(step.atMs - nowMs);
    nowMs = step.atMs;
    if (failures.length > 0) break;
    onStep(step);
    pending.push(
      send(step.request).catch((error: unknown) => {
        failures.push(misplaced(step.place, error));
      }),
    );
  }
  await Promise.all(pending);
  if (failures.length > 0) throw failures[0];
}

function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/"[^"]*"|\S+/g)) {
    if (word.startsWith("#")) break;
    if (!word.startsWith('"')) words.push(word);
    else if (word.length > 1 && word.endsWith('"')) words.push(word.slice(1, -1));
    else throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what: `the quotes of ${word} have no end` } });
  }
  return words;
}

function atPlace<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw misplaced(place, error);
  }
}

function misplaced(place: string, error: unknown): unknown {
  if (!VerbenaError.is(error)) return error;
  return cliError("VERBENA_CLI_SCENARIO", {
    details: { place, problem: error.message },
    cause: error,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  });
}

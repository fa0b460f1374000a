import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { simError } from "../errors.js";

/** Largest time scale: an hour in a second. */
export const MAX_TIME_SCALE = 3600;

/** File in the fabric's directory through which programs learn that time is scaled; absent for ordinary time. */
const FILE_NAME = "time-scale";

/** Checks the option. @throws VerbenaError `VERBENA_SIM_OPTION` */
export function checkTimeScale(scale: number): number {
  if (Number.isInteger(scale) && scale >= 1 && scale <= MAX_TIME_SCALE) return scale;
  const problem = `${scale} is not a whole number from 1 to ${MAX_TIME_SCALE}`;
  throw simError("VERBENA_SIM_OPTION", { details: { option: "timeScale", problem } });
}

/** Publishes the scale; returns what takes the file away. One of an earlier fabric is replaced. */
export function publishTimeScale(dir: string, scale: number): () => void {
  const file = join(dir, FILE_NAME);
  const remove = () => {
    rmSync(file, { force: true });
  };
  if (scale === 1) remove();
  else writeFileSync(file, `${scale}\n`);
  return remove;
}

/**
 * How many times faster than the machine's the time of the fabric in `dir` runs: 1 unless it was started with a time scale, also
 * if no fabric runs there. A program of the fabric runs its own clock so fast.
 */
export function fabricTimeScale(dir: string): number {
  try {
    const scale = Number(readFileSync(join(dir, FILE_NAME), "utf8"));
    return scale >= 1 && scale <= MAX_TIME_SCALE ? scale : 1;
  } catch {
    return 1;
  }
}

import { basename } from "node:path";
import { parseArgs } from "node:util";
import { seeded } from "../../test/peers/seeded.js";

/** What a soak is told on its command line and by the environment. */
export interface SoakSettings {
  readonly steps: number;
  readonly seed: number;
  readonly random: () => number;
  /** One line that runs the same again. */
  readonly replay: string;
}

/** Reads `--steps N` and `--seed N`; without `--steps`, `steps` times VERBENA_SOAK_SCALE. */
export function soakSettings(steps: number): SoakSettings {
  const { values } = parseArgs({ options: { steps: { type: "string" }, seed: { type: "string", default: "1" } } });
  const scale = Number(process.env["VERBENA_SOAK_SCALE"] ?? "1");
  if (!(scale > 0)) throw new Error("VERBENA_SOAK_SCALE must be more than 0");
  const wanted = values.steps === undefined ? Math.max(1, Math.round(steps * scale)) : Number(values.steps);
  const seed = Number(values.seed);
  if (!Number.isInteger(wanted) || !Number.isInteger(seed)) throw new Error("--steps and --seed take whole numbers");
  const name = basename(process.argv[1] ?? "", ".ts");
  return {
    steps: wanted,
    seed,
    random: seeded(seed),
    replay: `pnpm soak ${name} --steps ${wanted} --seed ${seed}`,
  };
}

/** Draws from a list; heavier items are drawn more often. */
export function draw<T>(random: () => number, items: readonly (readonly [weight: number, item: T])[]): T {
  let left = random() * items.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, item] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  throw new Error("nothing to draw from");
}

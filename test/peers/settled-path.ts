import { writeSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { type AcmFabric, FORMS, type Form } from "./acm-fabric.js";
import type { ShownPath } from "./acme-output.js";

/** A question that is asked until its answer is right. */
export interface Question {
  readonly from: number;
  readonly to: number;
  readonly form: Form;
  /** Host where the addresses of `to` are now; default: that of this number. */
  readonly at?: number;
}

/** An answer that is wrong for so long will not become right by itself, milliseconds. */
const PATIENCE_MS = 12_000;

/** Asks over and over until the answer is what the fabric's tables say of that moment; gives the milliseconds that it took. */
export async function untilRight(fabric: AcmFabric, { from, to, form, at }: Question): Promise<number> {
  const started = performance.now();
  for (;;) {
    const [shown] = await fabric.ask(from, [to], form);
    const expected = await fabric.expected(from, to, form, at);
    const took = Math.round(performance.now() - started);
    if (shown !== undefined && isDeepStrictEqual(only(shown, expected), expected)) return took;
    if (took > PATIENCE_MS) {
      throw new Error(`H${from} says ${JSON.stringify(shown)}, not ${JSON.stringify(expected)}, after ${took} ms`);
    }
  }
}

/**
 * Asks hosts for others by every form until all answers are right; prints how long the slowest of each host took. `at` as in a question, of
 * all that are asked for.
 */
export async function untilAllRight(
  fabric: AcmFabric,
  from: readonly number[],
  to: readonly number[],
  what: string,
  at?: number,
): Promise<void> {
  for (const host of from) {
    const times: number[] = [];
    for (const form of FORMS) {
      for (const other of to.filter((one) => one !== host)) {
        const question = { from: host, to: other, form };
        times.push(await untilRight(fabric, at === undefined ? question : { ...question, at }));
      }
    }
    writeSync(2, `${what}: H${host} right after ${Math.max(...times)} ms\n`);
  }
}

/** Of the fields shown those that the tables tell. */
function only(shown: ShownPath, { fields }: ShownPath): ShownPath {
  const told = Object.keys(fields).map((name) => [name, shown.fields[name]] as const);
  return { ...shown, fields: Object.fromEntries(told) as ShownPath["fields"] };
}

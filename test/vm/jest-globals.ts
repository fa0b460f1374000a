// The globals of jest that suites of packages use, on node:test: so that the same files run in the machine, where jest itself is too slow.
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { format } from "node:util";
import { expect } from "expect";

type Body = (...row: readonly unknown[]) => unknown;
type Declare = (name: string, body: Body) => unknown;

/** A title with the values of its row, as many as it has places for. */
function titleOf(name: string, row: readonly unknown[]): string {
  const places = name.match(/%[a-zA-Z]/g)?.length ?? 0;
  return format(name, ...row.slice(0, places));
}

/** `test.each` and `describe.each` with a list of rows, or of values. */
const each =
  (declare: Declare) =>
  (rows: readonly unknown[]) =>
  (name: string, body: Body): void => {
    for (const one of rows) {
      const row: readonly unknown[] = Array.isArray(one) ? one : [one];
      declare(titleOf(name, row), () => body(...row));
    }
  };

/** Longest time of one test, milliseconds: one that hangs leaves time for the others of its suite. */
const timeout = Number(process.env["VERBENA_VM_TEST_MS"] ?? 120_000);

// A body gets nothing: node:test would take a parameter for its own context.
const run: Declare = (name, body) => test(name, { timeout }, () => body() as Promise<void> | undefined);
const skip: Declare = (name) => test(name, { skip: true }, () => undefined);
const group: Declare = (name, body) => describe(name, () => body() as undefined);

const jestTest = Object.assign(run, {
  each: each(run),
  skip: Object.assign(skip, { each: each(skip) }),
});

Object.assign(globalThis, {
  expect,
  test: jestTest,
  it: jestTest,
  describe: Object.assign(group, { each: each(group) }),
  beforeAll: before,
  afterAll: after,
  beforeEach,
  afterEach,
  // The machine has one limit for every test, which is meant for emulation.
  jest: { setTimeout: () => undefined },
});

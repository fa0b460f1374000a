import { realDevice } from "./rig.js";

/** Declares a test that a real device cannot pass: there it is skipped, with the reason behind its name. */
// eslint-disable-next-line jest/no-export -- suites declare with it; there is no test here
export function testOfSimulator(reason: string, name: string, body: () => unknown): void {
  if (realDevice === "") test(name, body as () => Promise<void>);
  // eslint-disable-next-line jest/no-disabled-tests -- the reason is told
  else test.skip(`${name} (${reason})`, () => undefined);
}

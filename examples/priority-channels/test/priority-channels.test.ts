import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const TIMEOUT_MS = 60_000;

const run = (...words: readonly string[]) =>
  promisify(execFile)(process.execPath, [join(__dirname, "../index.js"), ...words], { timeout: TIMEOUT_MS });

/** Name, queues, completions and batches of the line of a class. */
function classLine(stdout: string, name: string): readonly number[] {
  const line = stdout.split("\n").find((one) => one.startsWith(name)) ?? "";
  return line.split(/\s+/).slice(1, 4).map(Number);
}

test(
  "the command of the README: an urgent completion waits for one batch at most, and the lowest class gets its share",
  async () => {
    const { stdout } = await run("--simulate");
    expect(stdout).toMatch(/^\d+ urgent completions waited for 1 batch of others at most$/m);
    expect(stdout).toMatch(/^from post to completion in hand: median \d+ usec, p99 \d+ usec$/m);
    const [urgent = [], normal = [], bulk = []] = ["urgent", "normal", "bulk"].map((name) => classLine(stdout, name));
    expect([urgent[0], normal[0], bulk[0]]).toEqual([1, 4, 16]);
    expect((urgent[2] ?? 0) + (normal[2] ?? 0) + (bulk[2] ?? 0)).toBe(4000);
    // Completions are taken four at a time where there is a load, urgent ones one by one.
    expect(normal[1]).toBe(4 * (normal[2] ?? 0));
    expect(urgent[1]).toBe(urgent[2]);
    // One batch of eight of those that are of the two loaded classes while both have work.
    expect(bulk[2]).toBeGreaterThanOrEqual(Math.floor(((normal[2] ?? 0) + (bulk[2] ?? 0)) / 8));
  },
  TIMEOUT_MS + 5000,
);

test(
  "a share of two: every second batch of the loaded classes is of the lower one",
  async () => {
    const { stdout } = await run("--simulate", "--lower-share", "2", "--batches", "1000");
    const [normal = [], bulk = []] = ["normal", "bulk"].map((name) => classLine(stdout, name));
    expect(Math.abs((normal[2] ?? 0) - (bulk[2] ?? 0))).toBeLessThanOrEqual(100);
  },
  TIMEOUT_MS + 5000,
);

test.each([
  [["--batches", "none"], '--batches must be a whole number of at least 1, not "none"'],
  [["--lower-share", "1"], '--lower-share must be a whole number of at least 2, not "1"'],
  [["mlx5_0", "mlx5_1"], "one device at most"],
])("%j is refused with words", async (words, message) => {
  await expect(run(...words)).rejects.toMatchObject({ code: 1, stderr: `${message}\n` });
});

/** What happens to a command whose output has nowhere to go. */
import { execFile } from "node:child_process";
import { programPath } from "./support/run.js";

const TIMEOUT_MS = 60_000;

function shell(command: string): Promise<{ readonly status: number; readonly err: string }> {
  return new Promise((resolve) => {
    execFile(
      "bash",
      ["-o", "pipefail", "-c", command],
      { env: { ...process.env, VERBENA: programPath() } },
      (error, _out, err) => {
        resolve({ status: error === null ? 0 : Number(error.code), err });
      },
    );
  });
}

describe("output that cannot be written", () => {
  it(
    "is a failure that says why, told once",
    async () => {
      const { status, err } = await shell(`"${process.execPath}" "$VERBENA" --help > /dev/full`);
      expect(err).toMatch(/^verbena: the output could not be written: .*ENOSPC.* \[VERBENA_CLI_OUTPUT\]\nhint: .*\n$/);
      expect(status).toBe(1);
    },
    TIMEOUT_MS,
  );

  it(
    "is no failure when the reader has gone",
    async () => {
      const command = `"${process.execPath}" "$VERBENA" sim topology two-level --hosts 400 --leafs 16 | head -c 10 >/dev/null`;
      expect(await shell(command)).toEqual({ status: 0, err: "" });
    },
    TIMEOUT_MS,
  );
});

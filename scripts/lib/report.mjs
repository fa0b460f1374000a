// One line per step: what is looked at, what was done, how long it took when something was done.
import { spawnSync } from "node:child_process";

export class StepFailed extends Error {}

const prefix = (name) => `bootstrap: ${name.padEnd(18)} `;

export function line(name, text) {
  console.log(`${prefix(name)}${text}`);
}

/** Runs a command quietly; its output is shown only if it fails. */
export function quiet(command, args, options = {}) {
  const { env, hint, ...rest } = options;
  const done = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    ...rest,
    env: { ...process.env, ...env },
  });
  if (done.error) throw new StepFailed(`cannot run ${command}: ${done.error.message}${hint ? `\n${hint}` : ""}`);
  if (done.status !== 0) {
    process.stderr.write(done.stdout + done.stderr);
    throw new StepFailed(
      `\`${[command, ...args].join(" ")}\` ended with ${done.signal ?? `status ${done.status}`}${hint ? `\n${hint}` : ""}`,
    );
  }
  return done.stdout;
}

/** Does `work` and reports it with its time. The name appears at once, since some steps take a minute. */
export function step(name, verb, work) {
  const start = performance.now();
  process.stdout.write(prefix(name));
  try {
    work();
  } catch (error) {
    process.stdout.write("failed\n");
    throw error;
  }
  console.log(`${verb} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
}

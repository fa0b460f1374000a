import { execFile } from "node:child_process";
import type { UnitsSeen } from "../probe.js";

const UNITS = ["ibacm.service", "ibacm.socket"];
/** A service manager that does not answer is as good as none, milliseconds. */
const LIMIT_MS = 3_000;

/** State of ibacm's units; empty where no systemd answers. */
export function lookAtUnits(): Promise<UnitsSeen> {
  return new Promise((resolve) => {
    // `is-active` ends with 3 when one is not active, and prints a word for each all the same.
    execFile("systemctl", ["is-active", ...UNITS], { timeout: LIMIT_MS }, (_error, out) => {
      const words = out.split("\n").filter((line) => line !== "");
      if (words.length !== UNITS.length) resolve({});
      else resolve(Object.fromEntries(UNITS.map((unit, index) => [unit, words[index] ?? "unknown"])));
    });
  });
}

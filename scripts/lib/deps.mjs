// Checks who imports whom, and cycles, with the rules of .dependency-cruiser.cjs.
import { spawnSync } from "node:child_process";
import { exists, root } from "./paths.mjs";

const folders = ["packages", "test", "examples", "bench", "soak"].filter((folder) => exists(folder));
const depcruise = "node_modules/dependency-cruiser/bin/dependency-cruise.mjs";
const done = spawnSync(process.execPath, [depcruise, "--config", ".dependency-cruiser.cjs", ...folders], {
  cwd: root,
  stdio: "inherit",
});
process.exitCode = done.status ?? 1;

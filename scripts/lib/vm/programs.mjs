import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { which } from "../paths.mjs";
import { VmFailed } from "./failure.mjs";

const enable = "run scripts/bootstrap --vm";

function need(program) {
  const path = which(program);
  if (path === undefined) throw new VmFailed("VM_PROGRAM", `${program} is missing: ${enable}`);
  return path;
}

/** A busybox that runs before any library is there. */
export function staticBusybox() {
  const path = need("busybox");
  if (readFileSync(path).subarray(0, 4096).includes("/ld-linux")) {
    throw new VmFailed("VM_PROGRAM", `${path} needs shared libraries; busybox-static does not: ${enable}`);
  }
  return path;
}

/** Full paths of what the machine is started with. */
export const hostPrograms = () => ({
  qemu: need("qemu-system-x86_64"),
  setpriv: need("setpriv"),
  ip: need("ip"),
  rdma: need("rdma"),
});

/** Runs a command to its end and returns its standard output as bytes. */
export function output(program, args, options = {}) {
  const done = spawnSync(program, args, { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"], ...options });
  if (done.error) throw new VmFailed("VM_PROGRAM", `${program} does not start: ${done.error.message}`);
  if (done.status !== 0) {
    const reason = String(done.stderr).trim() || (done.signal ?? `status ${done.status}`);
    throw new VmFailed("VM_PROGRAM", `${program} ${args[0]} failed: ${reason}`);
  }
  return done.stdout;
}

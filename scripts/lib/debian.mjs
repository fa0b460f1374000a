// Debian packages: installed only when asked for, only those missing, only as root; otherwise the one command is printed.

import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { which } from "./paths.mjs";
import { line, quiet, step } from "./report.mjs";

export const peerPackages = [
  "ibacm",
  "ibsim-utils",
  "ibverbs-providers",
  "ibverbs-utils",
  "infiniband-diags",
  "libibumad-dev",
  "libibumad3",
  "libibverbs-dev",
  "libibverbs1",
  "librdmacm-dev",
  "opensm",
  "perftest",
  "tshark",
];

export const vmPackages = [
  "busybox-static",
  "ibverbs-providers",
  "ibverbs-utils",
  "iproute2",
  "libibumad3",
  "libibverbs1",
  "qemu-system-x86",
  "xz-utils",
];

export const isRoot = () => process.getuid?.() === 0;

export const aptCommand = (packages) =>
  `${isRoot() ? "" : "sudo "}apt-get update && ${isRoot() ? "" : "sudo "}apt-get install -y --no-install-recommends ${packages.join(" ")}`;

function isInstalled(name) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own notation
  const query = spawnSync("dpkg-query", ["-W", "-f", "${db:Status-Status}", name], { encoding: "utf8" });
  return query.status === 0 && query.stdout === "installed";
}

// A package that ships a service asks this program whether it may start it; 101 means no. A bootstrap leaves no daemon behind.
const policy = "/usr/sbin/policy-rc.d";

function withoutServices(work) {
  if (existsSync(policy)) return work();
  writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    return work();
  } finally {
    rmSync(policy, { force: true });
  }
}

/** Returns true when all of `packages` are there afterwards. */
export function ensurePackages(title, packages) {
  if (!which("dpkg-query") || !which("apt-get")) {
    line(title, `this is not Debian; provide the programs of these packages yourself: ${packages.join(" ")}`);
    return false;
  }
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) {
    line(title, `all ${packages.length} Debian packages are installed`);
    return true;
  }
  if (!isRoot()) {
    line(title, `not root, so run this one command and bootstrap again:\n  ${aptCommand(missing)}`);
    return false;
  }
  step(title, `installed ${missing.join(" ")}`, () => {
    const env = { DEBIAN_FRONTEND: "noninteractive" };
    quiet("apt-get", ["update", "-qq"], { env });
    withoutServices(() =>
      quiet(
        "apt-get",
        ["install", "-y", "-qq", "-o", "DPkg::Lock::Timeout=300", "--no-install-recommends", ...missing],
        { env },
      ),
    );
  });
  return true;
}

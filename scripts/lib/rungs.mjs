// The rungs of tests, and the one place that decides whether this machine can run them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "./glob.mjs";
import { runJest } from "./jest.mjs";
import { literal } from "./literal.mjs";
import { root, which } from "./paths.mjs";
import { isKernelReady } from "./vm/cache.mjs";

const peerPrograms = ["ib_acme", "ibacm", "opensm", "saquery", "ibsim"];
const vmPrograms = ["qemu-system-x86_64", "busybox", "setpriv", "ip", "rdma", "xz", "ibv_devinfo"];

/** What is missing of `programs`, in words, and the command that gets it; undefined if all are there. */
export const lacking = (programs, option) => {
  const missing = programs.filter((program) => !which(program));
  return missing.length === 0
    ? undefined
    : { reason: `not installed: ${missing.join(", ")}`, enable: `scripts/bootstrap ${option}` };
};

function lackingForVm() {
  const enable = "scripts/bootstrap --vm";
  return (
    lacking(vmPrograms, "--vm") ??
    (isKernelReady() ? undefined : { reason: "no kernel in the machine's cache", enable })
  );
}

const suitesIn = (folders) => folders.flatMap((folder) => globSync(folder, /\.test\.ts$/));

const jestRung = (name, about, folders, missing) => ({
  name,
  about,
  /** Test files, as paths from the root. */
  suites: () => suitesIn(folders),
  /** What this machine lacks and how to get it, or undefined. */
  missing,
  /** Runs the rung with jest's `options`, leaves its JSON in the file `output`, and resolves with counts. */
  run: (output, options) => {
    const patterns = folders.map((folder) => `^${literal(root)}/${folder.replace("*", "[^/]+")}/`);
    return runJest(output, [...options, "--testPathPatterns", ...patterns]);
  },
});

const nothing = () => undefined;

/**
 * Suites of the other rungs that take their device, or their two hosts, from a factory: the machine runs the same files on Soft-RoCE.
 */
const deviceSuites = () =>
  suitesIn(["packages/native/test", "test/peers"]).filter((path) =>
    /await (Rig\.start|startHosts)\(\)/.test(readFileSync(join(root, path), "utf8")),
  );

const vmSuites = () => [...suitesIn(["test/vm"]), ...deviceSuites()];

export const rungs = [
  jestRung(
    "pure",
    "codecs, caches, state machines, and checks of the repository itself",
    ["packages/*/src", "test/repo"],
    nothing,
  ),
  jestRung(
    "simulated",
    "everything but the wire, on the simulated fabric; examples",
    ["packages/*/test", "examples/*/src", "examples/*/test"],
    nothing,
  ),
  jestRung("peers", "programs of Debian that nobody here wrote, on the simulated wire", ["test/peers"], () =>
    lacking(peerPrograms, "--peers"),
  ),
  {
    name: "vm",
    about: "a Debian kernel under QEMU, with Soft-RoCE, umad and rdma_cm",
    suites: vmSuites,
    missing: lackingForVm,
    run: async (output, options) => {
      // Loaded late: bootstrap reads this file before the dependencies are there.
      const { runVmSuites } = await import("./vm/rung.mjs");
      return runVmSuites(output, options, vmSuites());
    },
  },
];

// The rungs of tests, and the one place that decides whether this machine can run them.
import { globSync } from "./glob.mjs";
import { root, which } from "./paths.mjs";

const peerPrograms = ["ib_acme", "ibacm", "opensm", "saquery", "ibsim"];
const vmPrograms = ["qemu-system-x86_64", "busybox", "ip", "xz"];

/** What is missing of `programs`, in words, and the command that gets it; undefined if all are there. */
export const lacking = (programs, option) => {
  const missing = programs.filter((program) => !which(program));
  return missing.length === 0
    ? undefined
    : { reason: `not installed: ${missing.join(", ")}`, enable: `scripts/bootstrap ${option}` };
};

const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const rung = (name, about, folders, missing) => ({
  name,
  about,
  /** Test files, as paths from the root. */
  suites: () => folders.flatMap((folder) => globSync(folder, /\.test\.ts$/)),
  /** The same as patterns for jest's command line. */
  patterns: folders.map((folder) => `^${literal(root)}/${folder.replace("*", "[^/]+")}/`),
  /** What this machine lacks and how to get it, or undefined. */
  missing,
});

const nothing = () => undefined;

export const rungs = [
  rung(
    "pure",
    "codecs, caches, state machines, and checks of the repository itself",
    ["packages/*/src", "test/repo"],
    nothing,
  ),
  rung(
    "simulated",
    "everything but the wire, on the simulated fabric; examples",
    ["packages/*/test", "examples/*/src", "examples/*/test"],
    nothing,
  ),
  rung("peers", "programs of Debian that nobody here wrote, on the simulated wire", ["test/peers"], () =>
    lacking(peerPrograms, "--peers"),
  ),
  rung("vm", "a Debian kernel under QEMU", ["test/vm"], () => lacking(vmPrograms, "--vm")),
];

export const hasVmSuites = () => globSync("test/vm", /\.test\.ts$/).length > 0;

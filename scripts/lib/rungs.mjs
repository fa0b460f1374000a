// The rungs of tests, and the one place that decides whether this machine can run them.
import { globSync } from "./glob.mjs";
import { which } from "./paths.mjs";

const peerPrograms = ["ib_acme", "ibacm", "opensm", "saquery", "ibsim"];
const vmPrograms = ["qemu-system-x86_64", "busybox", "ip", "xz"];

/** What is missing of `programs`, in words, and the command that gets it; undefined if all are there. */
export const lacking = (programs, option) => {
  const missing = programs.filter((program) => !which(program));
  return missing.length === 0
    ? undefined
    : { reason: `not installed: ${missing.join(", ")}`, enable: `scripts/bootstrap ${option}` };
};

export const vmSuites = () => globSync("test/vm", /\.test\.ts$/);

/** `suites()` are paths from the root; `missing()` says what the machine lacks and how to get it. */
export const rungs = [
  {
    name: "pure",
    about: "codecs, caches, state machines, and checks of the repository itself",
    suites: () => [...globSync("packages/*/src", /\.test\.ts$/), ...globSync("test/repo", /\.test\.ts$/)],
    missing: () => undefined,
  },
  {
    name: "simulated",
    about: "everything but the wire, on the simulated fabric; examples",
    suites: () =>
      ["packages/*/test", "examples/*/src", "examples/*/test"].flatMap((folder) => globSync(folder, /\.test\.ts$/)),
    missing: () => undefined,
  },
  {
    name: "peers",
    about: "programs of Debian that nobody here wrote, on the simulated wire",
    suites: () => globSync("test/peers", /\.test\.ts$/),
    missing: () => lacking(peerPrograms, "--peers"),
  },
  {
    name: "vm",
    about: "a Debian kernel under QEMU",
    suites: vmSuites,
    missing: () => lacking(vmPrograms, "--vm"),
  },
];

import { failureCodes, VmFailed } from "./failure.mjs";

export const usage = `usage: scripts/vm [options] [--] COMMAND [ARGUMENT...]

Runs COMMAND in a virtual machine (QEMU, software emulation) that boots Debian's kernel with Soft-RoCE, uverbs, umad,
rdma_cm and RDS. The command sees this machine's files and starts in the present directory, which it may write. Needs
neither RDMA hardware nor root, but what 'scripts/bootstrap --vm' installs.

  --hosts 1|2        1: device rxe0 at 10.0.1.1 (default)
                     2: rxe0 at 10.0.1.1 and rxe1 at 10.0.1.2, joined by a wire, and the network namespaces A (10.0.0.1)
                        and B (10.0.0.2), joined by another, for TCP and RDS over TCP
  --cpus N           processors of the machine (default: 2)
  --mem MiB          memory of the machine (default: 2048)
  --timeout S        seconds for boot and command together (default: 300)
  --rw DIR           share DIR for writing as well; can be given again
  --env NAME[=VALUE] set a variable for COMMAND; can be given again. PATH, HOME, USER, LANG, LC_ALL, TZ and CI are
                     passed on as they are, and VERBENA_VM=1 is set
  --stdin            pass on standard input (else it is empty)
  --kernel-log FILE  write the machine's kernel log to FILE
  --prepare          make the cache ready and run nothing
  --verbose          tell on standard error how long each step took
  --help             show this text

Exit status: COMMAND's own, 128+N when signal N ended it; 124 after a time-out; 125 when the harness failed, with one of
these codes on standard error:
${Object.entries(failureCodes)
  .map(([code, about]) => `  ${code.padEnd(12)} ${about}`)
  .join("\n")}

Environment: VERBENA_VM_CACHE   folder of the prepared kernel (default: verbena-vm in XDG_CACHE_HOME or ~/.cache)
             VERBENA_VM_KERNEL  name of a Debian kernel package, or a path to one
`;

const misused = (message) => new VmFailed("VM_USAGE", message);

function wholeNumber(option, text, least) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least) {
    throw misused(`${option} wants a whole number from ${least}, not ${text}`);
  }
  return value;
}

function variable(text, env) {
  if (!/^[A-Za-z_]\w*(=|$)/.test(text)) throw misused(`--env wants NAME or NAME=VALUE, not ${text}`);
  if (text.includes("=")) return [text];
  return env[text] === undefined ? [] : [`${text}=${env[text]}`];
}

const flags = { "--stdin": "stdin", "--prepare": "prepare", "--verbose": "verbose" };

/**
 * The options as an object, or { help: true }. `realDirectory` gives the real path of a directory, or undefined if there is none.
 * Throws VM_USAGE.
 */
export function parseCommandLine(argv, { env, realDirectory }) {
  const options = { hosts: 1, cpus: 2, memory: 2048, timeout: 300, rw: [], env: [] };
  const takers = {
    "--hosts": (value) => {
      if (value !== "1" && value !== "2") throw misused(`--hosts wants 1 or 2, not ${value}`);
      options.hosts = Number(value);
    },
    "--cpus": (value) => {
      options.cpus = wholeNumber("--cpus", value, 1);
    },
    "--mem": (value) => {
      options.memory = wholeNumber("--mem", value, 512);
    },
    "--timeout": (value) => {
      options.timeout = wholeNumber("--timeout", value, 1);
    },
    "--rw": (value) => {
      const folder = realDirectory(value);
      if (folder === undefined) throw misused(`--rw: there is no directory ${value}`);
      options.rw.push(folder);
    },
    "--env": (value) => {
      options.env.push(...variable(value, env));
    },
    "--kernel-log": (value) => {
      options.kernelLog = value;
    },
  };
  const rest = [...argv];
  while (rest[0]?.startsWith("-")) {
    const [option, inline] = rest.shift().split(/=(.*)/s, 2);
    if (option === "--") break;
    if (option === "--help" || option === "-h") return { help: true };
    if (Object.hasOwn(takers, option)) {
      const value = inline ?? rest.shift();
      if (value === undefined) throw misused(`${option} wants a value`);
      takers[option](value);
    } else if (Object.hasOwn(flags, option)) {
      if (inline !== undefined) throw misused(`${option} takes no value`);
      options[flags[option]] = true;
    } else {
      throw misused(`unknown option ${option} ('scripts/vm --help' lists them)`);
    }
  }
  if (rest.length === 0 && !options.prepare) throw misused("no command ('scripts/vm --help' tells how to call)");
  return { ...options, command: rest };
}

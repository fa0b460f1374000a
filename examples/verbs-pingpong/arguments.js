import { parseArgs } from "node:util";
import { Mtu } from "@verbena/ib";

/**
 * What the command line says.
 * @typedef {object} Options
 * @property {string | undefined} host server to connect to; without one this is the server
 * @property {number} port TCP port of the server
 * @property {string | undefined} device RDMA device; the first one unless given
 * @property {number} ibPort
 * @property {number} size bytes of a message
 * @property {number} mtu path MTU in bytes
 * @property {number} rxDepth receives that are posted at once
 * @property {number} iterations messages each way
 * @property {number} sl service level
 * @property {boolean} events wait for events of a completion channel; else poll
 * @property {number | undefined} gidIndex entry of the port's GID table; with one, packets carry a GRH
 * @property {number} pairs queue pairs
 */

/** Letter, limits and meaning of each option with a number. */
const NUMBERS = {
  port: { short: "p", default: 18515, range: [1, 65535], what: "TCP port of the server" },
  "ib-port": { short: "i", default: 1, range: [1, 254], what: "port of the RDMA device" },
  size: { short: "s", default: 4096, range: [1, 2 ** 30], what: "bytes of a message" },
  mtu: { short: "m", default: 1024, range: [256, 4096], what: "path MTU in bytes" },
  "rx-depth": { short: "r", default: 500, range: [1, 65535], what: "receives to post at a time" },
  iters: { short: "n", default: 1000, range: [1, 2 ** 31 - 1], what: "messages each way" },
  sl: { short: "l", default: 0, range: [0, 15], what: "service level" },
  "gid-idx": { short: "g", range: [0, 65535], what: "index of the local GID: send with a GRH" },
  "num-qp": { short: "q", default: 1, range: [1, 256], what: "queue pairs" },
};

/** How a program is called. */
export class UsageError extends Error {}

function usage(program, numbers) {
  const lines = Object.entries(numbers).map(([name, { short, what, default: value }]) => {
    const unless = value === undefined ? "" : ` (default ${value})`;
    return `  -${short}, --${name}=N`.padEnd(22) + what + unless;
  });
  return [
    `Usage: node ${program} [options]          start a server and wait for a client`,
    `       node ${program} [options] HOST     connect to the server at HOST`,
    ...lines,
    "  -d, --ib-dev=NAME   RDMA device (default: the first)",
    "  -e, --events        wait for completion events (default: poll)",
  ].join("\n");
}

/**
 * Reads a command line, with the options of ibverbs-utils.
 * @param {readonly string[]} argv
 * @param {{ program: string, defaults?: Record<string, number>, without?: readonly string[] }} kind what is particular to the program
 * @returns {Options}
 */
export function readArguments(argv, { program, defaults = {}, without = [] }) {
  const numbers = {};
  for (const [name, number] of Object.entries(NUMBERS)) {
    if (!without.includes(name)) numbers[name] = { ...number, default: defaults[name] ?? number.default };
  }
  const fail = (reason) => new UsageError(`${reason}\n${usage(program, numbers)}`);
  const options = { "ib-dev": { type: "string", short: "d" }, events: { type: "boolean", short: "e", default: false } };
  for (const [name, { short }] of Object.entries(numbers)) options[name] = { type: "string", short };

  let parsed;
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw fail(error.message);
  }
  const { values, positionals } = parsed;
  if (positionals.length > 1) throw fail("one host at most");
  const number = (name) => {
    const { range, default: value } = numbers[name] ?? NUMBERS[name];
    if (values[name] === undefined) return value;
    const given = Number(values[name]);
    if (Number.isInteger(given) && given >= range[0] && given <= range[1]) return given;
    throw fail(`--${name} is a whole number, ${range[0]} to ${range[1]}`);
  };
  const read = {
    host: positionals[0],
    port: number("port"),
    device: values["ib-dev"],
    ibPort: number("ib-port"),
    size: number("size"),
    mtu: number("mtu"),
    rxDepth: number("rx-depth"),
    iterations: number("iters"),
    sl: number("sl"),
    events: values.events,
    gidIndex: number("gid-idx"),
    pairs: number("num-qp"),
  };
  if (Mtu.fromBytes(read.mtu) === undefined) throw fail("--mtu is 256, 512, 1024, 2048 or 4096");
  if (read.pairs > read.rxDepth) throw fail("--rx-depth must be one receive for each queue pair at least");
  return read;
}

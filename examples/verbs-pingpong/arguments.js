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

/**
 * An option with a number: its letter, its limits and what it means.
 * @typedef {{ short: string, default?: number | undefined, range: readonly [number, number], what: string }} NumberOption
 */

/** @type {Readonly<Record<string, NumberOption>>} */
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

/**
 * @param {string} program
 * @param {Readonly<Record<string, NumberOption>>} numbers
 */
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
 * Splits a command line into options and host.
 * @param {readonly string[]} argv
 * @param {Readonly<Record<string, NumberOption>>} numbers
 * @param {(reason: string) => UsageError} fail
 */
function parse(argv, numbers, fail) {
  /** @type {import("node:util").ParseArgsConfig["options"] & {}} */
  const options = { "ib-dev": { type: "string", short: "d" }, events: { type: "boolean", short: "e", default: false } };
  for (const [name, { short }] of Object.entries(numbers)) options[name] = { type: "string", short };
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw fail(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Reads a command line, with the options of ibverbs-utils.
 * @param {readonly string[]} argv
 * @param {{ program: string, defaults?: Record<string, number>, without?: readonly string[] }} kind what is particular to the program
 * @returns {Options}
 */
export function readArguments(argv, { program, defaults = {}, without = [] }) {
  const numbers = Object.fromEntries(
    Object.entries(NUMBERS)
      .filter(([name]) => !without.includes(name))
      .map(([name, number]) => [name, { ...number, default: defaults[name] ?? number.default }]),
  );
  const fail = (/** @type {string} */ reason) => new UsageError(`${reason}\n${usage(program, numbers)}`);
  const { values, positionals } = parse(argv, numbers, fail);
  if (positionals.length > 1) throw fail("one host at most");

  /** @type {(name: string) => number | undefined} */
  const numberOf = (name) => {
    const option = numbers[name] ?? NUMBERS[name];
    const text = values[name];
    if (option === undefined || text === undefined) return option?.default;
    const given = Number(text);
    const [least, most] = option.range;
    if (Number.isInteger(given) && given >= least && given <= most) return given;
    throw fail(`--${name} is a whole number, ${least} to ${most}`);
  };
  // All but the GID have a default.
  const number = (/** @type {string} */ name) => numberOf(name) ?? 0;
  const device = values["ib-dev"];
  const read = {
    host: positionals[0],
    port: number("port"),
    device: typeof device === "string" ? device : undefined,
    ibPort: number("ib-port"),
    size: number("size"),
    mtu: number("mtu"),
    rxDepth: number("rx-depth"),
    iterations: number("iters"),
    sl: number("sl"),
    events: values["events"] === true,
    gidIndex: numberOf("gid-idx"),
    pairs: number("num-qp"),
  };
  if (Mtu.fromBytes(read.mtu) === undefined) throw fail("--mtu is 256, 512, 1024, 2048 or 4096");
  if (read.pairs > read.rxDepth) throw fail("--rx-depth must be one receive for each queue pair at least");
  return read;
}

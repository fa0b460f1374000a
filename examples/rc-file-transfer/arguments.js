import { parseArgs } from "node:util";
import { TransferError } from "./errors.js";

/**
 * What the command line says.
 * @typedef {object} Options
 * @property {readonly string[]} words what is not an option
 * @property {number} port TCP port of the receiver
 * @property {string | undefined} device RDMA device; the first one unless given
 * @property {number} ibPort
 * @property {number | undefined} gidIndex entry of the port's GID table; with one, packets carry a GRH
 * @property {number} slots pieces of the file that may be under way
 * @property {number} slotSize bytes of a piece
 */

/** Largest ring: the sender makes its queues before it knows the receiver's. */
export const MOST_SLOTS = 64;

/** @typedef {{ short: string, default?: string, range: readonly [number, number], what: string }} NumberOption */

/** @type {Readonly<Record<string, NumberOption>>} */
const COMMON = {
  port: { short: "p", default: "18517", range: [1, 65535], what: "TCP port of the receiver" },
  "ib-port": { short: "i", default: "1", range: [1, 254], what: "port of the RDMA device" },
  "gid-idx": { short: "g", range: [0, 65535], what: "index of the local GID: packets carry a GRH" },
};

/** The receiver makes the ring. @type {Readonly<Record<string, NumberOption>>} */
const RING = {
  slots: { short: "n", default: "16", range: [4, MOST_SLOTS], what: "pieces that may be under way" },
  "slot-size": { short: "s", default: "262144", range: [1, 2 ** 24], what: "bytes of a piece" },
};

/**
 * @param {string} call
 * @param {Readonly<Record<string, NumberOption>>} numbers
 */
const usage = (call, numbers) =>
  [
    `Usage: ${call} [options]`,
    ...Object.entries(numbers).map(([name, { short, what, default: value }]) => {
      const unless = value === undefined ? "" : ` (default ${value})`;
      return `  -${short}, --${name}=N`.padEnd(22) + what + unless;
    }),
    "  -d, --ib-dev=NAME   RDMA device (default: the first)",
  ].join("\n");

/**
 * Reads a command line. Throws `TRANSFER_USAGE`.
 * @param {readonly string[]} argv
 * @param {{ call: string, count: number, hasRing?: boolean }} program `count`: words it takes besides the options
 * @returns {Options}
 */
export function readArguments(argv, { call, count, hasRing = false }) {
  const numbers = hasRing ? { ...COMMON, ...RING } : COMMON;
  const fail = (/** @type {string} */ reason) =>
    new TransferError("TRANSFER_USAGE", `${reason}\n${usage(call, numbers)}`);
  /** @type {import("node:util").ParseArgsConfig["options"] & {}} */
  const options = { "ib-dev": { type: "string", short: "d" } };
  for (const [name, { short }] of Object.entries(numbers)) options[name] = { type: "string", short };

  let parsed;
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw fail(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  if (positionals.length !== count) throw fail(`${count} words are wanted besides the options`);

  /** @type {(name: string) => number | undefined} */
  const number = (name) => {
    const option = { ...COMMON, ...RING }[name];
    const text = values[name] ?? option?.default;
    if (option === undefined || text === undefined) return undefined;
    const value = Number(text);
    const [least, most] = option.range;
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw fail(`--${name} is a whole number, ${least} to ${most}`);
  };
  const device = values["ib-dev"];
  return {
    words: positionals,
    port: number("port") ?? 0,
    device: typeof device === "string" ? device : undefined,
    ibPort: number("ib-port") ?? 1,
    gidIndex: number("gid-idx"),
    slots: number("slots") ?? 0,
    slotSize: number("slot-size") ?? 0,
  };
}

import { parseArgs } from "node:util";

/**
 * What the program is told.
 * @typedef {object} Arguments
 * @property {string | undefined} device
 * @property {boolean} simulate
 * @property {number} batches how many to read before the program ends
 * @property {number} lowerShare one batch of so many is of a lower class
 */

/** @type {(name: string, text: string, least: number) => number} */
function wholeNumber(name, text, least) {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) {
    throw new RangeError(`--${name} must be a whole number of at least ${least}, not "${text}"`);
  }
  return value;
}

/**
 * Reads the command line. Throws with a message for the user.
 * @param {readonly string[]} words
 * @returns {Arguments}
 */
export function readArguments(words) {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      simulate: { type: "boolean", default: false },
      batches: { type: "string", default: "4000" },
      "lower-share": { type: "string", default: "8" },
    },
  });
  if (positionals.length > 1) throw new RangeError("one device at most");
  return {
    device: positionals[0],
    simulate: values.simulate,
    batches: wholeNumber("batches", values.batches, 1),
    lowerShare: wholeNumber("lower-share", values["lower-share"], 2),
  };
}

import { didYouMean } from "@verbena/ib";
import { atoi } from "../text/atoi.js";

/** What a reader makes of the text behind a key. */
export interface Reading<T> {
  /** Absent: the line changes nothing. */
  readonly value?: T;
  /** How ibacm reads a text that says something else; shown as a warning. */
  readonly warning?: string;
  /** The value leaves no useful daemon; shown as an error. */
  readonly error?: string;
  readonly hint?: string;
}

/** How the values of one key are read and documented. */
export interface OptionKind<T> {
  /** For the documentation: which texts are allowed. */
  readonly values: string;
  read(text: string): Reading<T>;
}

/** A path, kept as typed. */
export function path(extra = ""): OptionKind<string> {
  return {
    values: `path${extra}`,
    read: (text) =>
      text.length > 127
        ? { value: text, warning: `path of ${String(text.length)} characters; ibacm keeps the first 127` }
        : { value: text },
  };
}

/** Limits of a number. */
export interface IntegerLimits {
  /** Below this the daemon would be useless: an error. */
  readonly usefulFrom?: number;
  /** Values ibacm takes; others are warned about and held at the nearest limit. */
  readonly min?: number;
  readonly max?: number;
  /** Shown in the documentation. */
  readonly values: string;
}

/** A number as `atoi` reads it. */
export function integer(limits: IntegerLimits): OptionKind<number> {
  const { usefulFrom, min = -2_147_483_648, max = 2_147_483_647, values } = limits;
  return {
    values,
    read(text) {
      const { value, exact, isNumber } = atoi(text);
      if (usefulFrom !== undefined && value < usefulFrom) {
        const how = exact ? "" : isNumber ? `, read as ${String(value)}` : ", not a number and read as 0";
        return { error: `"${text}"${how}: must be at least ${String(usefulFrom)}` };
      }
      const held = Math.min(Math.max(value, min), max);
      if (!isNumber) return { value: held, warning: `"${text}" is not a number; it is read as ${String(held)}` };
      if (!exact || held !== value) return { value: held, warning: `"${text}" is read as ${String(held)}` };
      return { value: held };
    },
  };
}

/** One number out of a list; others are read as the default. */
export function choiceOf(numbers: readonly number[], fallback: number): OptionKind<number> {
  return {
    values: numbers.join(", "),
    read(text) {
      const { value, exact } = atoi(text);
      if (!numbers.includes(value)) {
        return {
          value: fallback,
          warning: `"${text}" is not one of ${numbers.join(", ")}; it is read as ${String(fallback)}`,
        };
      }
      return exact ? { value } : { value, warning: `"${text}" is read as ${String(value)}` };
    },
  };
}

/** A word, compared without case. An unknown one leaves the value as it was, or gives `otherwise`. */
export function keyword<T extends string>(words: Readonly<Record<string, T>>, otherwise?: T): OptionKind<T> {
  const known = Object.keys(words);
  return {
    values: known.join(", "),
    read(text) {
      const value = words[text.toLowerCase()];
      if (value !== undefined && Object.hasOwn(words, text.toLowerCase())) return { value };
      const effect = otherwise === undefined ? "it is ignored" : `it is read as ${otherwise}`;
      const hint = didYouMean(text, known);
      return {
        ...(otherwise === undefined ? {} : { value: otherwise }),
        ...(hint === undefined ? {} : { hint }),
        warning: `"${text}" is not one of ${known.join(", ")}; ${effect}`,
      };
    },
  };
}

/** `true`, `yes` or a number other than 0 (decimal, 0x hexadecimal, 0 octal) switch on; everything else is off. */
export function truth(): OptionKind<boolean> {
  return {
    values: "yes, no",
    read(text) {
      const word = text.toLowerCase();
      if (word === "true" || word === "yes") return { value: true };
      if (word === "false" || word === "no" || /^[+-]?0(x0*)?0*$/i.test(text)) return { value: false };
      if (/^[+-]?(0x[0-9a-f]+|[0-9]+)$/i.test(text)) return { value: true };
      return { value: false, warning: `"${text}" is read as no`, hint: "write yes or no" };
    },
  };
}

/** A number, 0 off and the rest on: `yes` is no number, and off. */
export function numericSwitch(): OptionKind<boolean> {
  return {
    values: "0, 1",
    read(text) {
      const { value, exact, isNumber } = atoi(text);
      if (!isNumber)
        return { value: false, warning: `"${text}" is not a number; it is read as 0 (off)`, hint: "write 1 or 0" };
      return exact ? { value: value !== 0 } : { value: value !== 0, warning: `"${text}" is read as ${String(value)}` };
    },
  };
}

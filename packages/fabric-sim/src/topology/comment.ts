import { type LinkRate, parseLinkRate } from "./link-speed.js";

/** What the comment behind a node or a port says; all of it is data in both dialects. */
export interface Comment {
  readonly description?: string;
  readonly lid?: number;
  readonly lmc?: number;
  readonly mtuBytes?: number;
  readonly rate?: LinkRate;
}

/**
 * Reads the text behind `#`. A description is quoted, or (first thing in the comment of a node) plain up to ` base port `,
 * ` enhanced port `, ` lid ` or ` lmc `. In the comment of a host port `lid` and `lmc` before the quoted name belong to
 * that port and `lid` behind it to its neighbour; in the comment of a switch port everything belongs to the neighbour.
 */
export function parseComment(text: string, owner: "node" | "ca-port" | "switch-port"): Comment {
  const quoted = /"([^"]*)"/.exec(text);
  const before = quoted === null ? text : text.slice(0, quoted.index);
  const after = quoted === null ? "" : text.slice(quoted.index + quoted[0].length);
  const plain = /^\s*(.*?)\s*(?:$|\s(?:base port|enhanced port|lid|lmc|mtu)\s.*$)/.exec(text)?.[1];
  const description = owner === "node" ? (quoted?.[1] ?? plain) : undefined;
  const numbers = owner === "node" ? after || text : owner === "ca-port" ? before : "";
  const marks = `${before} ${after}`;
  const lid = numberAfter(numbers, "lid");
  const lmc = numberAfter(numbers, "lmc");
  const mtuBytes = numberAfter(owner === "node" ? numbers : marks, "mtu");
  const rate = marks
    .split(/\s+/)
    .map(parseLinkRate)
    .find((one) => one !== undefined);
  return {
    ...(description ? { description } : {}),
    ...(lid === undefined ? {} : { lid }),
    ...(lmc === undefined ? {} : { lmc }),
    ...(mtuBytes === undefined ? {} : { mtuBytes }),
    ...(rate === undefined ? {} : { rate }),
  };
}

function numberAfter(text: string, word: string): number | undefined {
  const match = new RegExp(`\\b${word} (\\d+)`).exec(text);
  return match === null ? undefined : Number(match[1]);
}

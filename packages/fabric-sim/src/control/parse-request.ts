import { nearestWord } from "@verbena/ib";
import { simError } from "../errors.js";
import { FAULT_TRAFFIC } from "../faults/wire-faults.js";
import { SA_MODES } from "../sa/sa-behaviour.js";
import { CONTROL_VERSION, type ControlRequest } from "./protocol.js";

type Fields = Readonly<Record<string, unknown>>;

/** What a member of a request must be. */
type Check = (value: unknown) => string | undefined;

const text: Check = (value) =>
  typeof value === "string" && value !== "" ? undefined : "must be a text that is not empty";
/** What fits into the 64 bytes of a NodeDescription. */
const description: Check = (value) =>
  text(value) ?? (Buffer.byteLength(value as string) <= 64 ? undefined : "must have at most 64 bytes");
const flag: Check = (value) => (typeof value === "boolean" ? undefined : "must be true or false");
const duration: Check = (value) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 && value <= 0x7fff_ffff
    ? undefined
    : "must be a number of milliseconds from 0 to 2147483647";
const count: Check = (value) =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 10_000
    ? undefined
    : "must be a whole number from 1 to 10000";
const percent: Check = (value) =>
  typeof value === "number" && value >= 0 && value <= 100 ? undefined : "must be a number from 0 to 100";
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length > 0
      ? value.map(check).find((problem) => problem !== undefined)
      : "must be a list that is not empty";
const linkTrap: Check = (value) =>
  value === 129 || value === 130 || value === 131 ? undefined : "must be 129, 130 or 131";
const upTo =
  (max: number): Check =>
  (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max
      ? undefined
      : `must be a whole number from 0 to ${String(max)}`;
/** A port number, or the index of a table entry. */
const smallNumber = upTo(254);
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === "string" && words.includes(value) ? undefined : `must be one of ${words.join(", ")}`;

interface Shape {
  readonly needed: Readonly<Record<string, Check>>;
  readonly optional?: Readonly<Record<string, Check>>;
}

const SHAPES: Readonly<Record<ControlRequest["op"], Shape>> = {
  status: { needed: {} },
  topology: { needed: {} },
  counters: { needed: {} },
  send: {
    needed: { from: text },
    optional: {
      to: text,
      mad: text,
      packet: text,
      pkey: text,
      sl: upTo(15),
      qpn: upTo(0xff_ffff),
      qkey: upTo(0xffff_ffff),
      waitMs: duration,
    },
  },
  trace: {
    needed: {},
    optional: {
      node: text,
      port: smallNumber,
      class: text,
      attribute: text,
      events: listOf(oneOf("send", "forward", "deliver", "drop")),
    },
  },
  link: {
    needed: { action: oneOf("up", "down", "flap"), end: text },
    optional: { downMs: duration, times: count },
  },
  sa: { needed: { mode: oneOf(...SA_MODES) }, optional: { durationMs: duration, delayMs: duration } },
  sm: { needed: { action: oneOf("reregister", "sweep", "hand-over") }, optional: { end: text } },
  lid: { needed: { action: oneOf("change"), end: text } },
  fault: {
    needed: { action: oneOf("set", "clear", "list") },
    optional: {
      end: text,
      lossPercent: percent,
      delayMs: duration,
      jitterMs: duration,
      duplicatePercent: percent,
      reorderPercent: percent,
      traffic: oneOf(...FAULT_TRAFFIC),
    },
  },
  node: {
    needed: { action: oneOf("describe", "remove", "restore", "reboot"), node: text },
    optional: { text: description, downMs: duration },
  },
  route: { needed: { action: oneOf("cut"), from: text, to: text } },
  addr: { needed: { action: oneOf("add", "del", "move"), address: text }, optional: { node: text, pkey: text } },
  addresses: { needed: {}, optional: { node: text, watch: flag } },
  trap: { needed: { end: text, trap: linkTrap } },
  gid: { needed: { end: text, index: smallNumber }, optional: { guid: text } },
  pkey: { needed: { end: text, index: smallNumber }, optional: { pkey: text } },
  routes: { needed: { from: text, to: text } },
  paths: { needed: {}, optional: { from: text, to: text } },
  events: { needed: {}, optional: { watch: flag } },
};

/**
 * Reads one line of the control socket.
 *
 * @throws VerbenaError `VERBENA_SIM_CONTROL_REQUEST` naming the member, `VERBENA_SIM_CONTROL_VERSION`
 */
export function parseControlRequest(line: string): ControlRequest {
  const fields = parseObject(line);
  const { v, op, ...members } = fields;
  if (v !== undefined && v !== CONTROL_VERSION) {
    throw simError("VERBENA_SIM_CONTROL_VERSION", { details: { ours: JSON.stringify(v), theirs: CONTROL_VERSION } });
  }
  if (typeof op !== "string" || !Object.hasOwn(SHAPES, op)) {
    const known = Object.keys(SHAPES);
    const near = typeof op === "string" ? nearestWord(op, known) : undefined;
    throw bad(
      `unknown op ${JSON.stringify(op)}`,
      near === undefined ? `Known: ${known.join(", ")}.` : `Did you mean ${near}?`,
    );
  }
  const shape = SHAPES[op as ControlRequest["op"]];
  checkMembers(op, members, shape);
  return fields as unknown as ControlRequest;
}

function parseObject(line: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw bad("the line is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw bad("the line is not a JSON object");
  return value as Fields;
}

function checkMembers(op: string, members: Fields, { needed, optional = {} }: Shape): void {
  for (const [name, check] of Object.entries(needed)) {
    const problem = check(members[name]);
    if (problem !== undefined) throw bad(`${op}: ${name} ${problem}`);
  }
  for (const [name, value] of Object.entries(members)) {
    if (Object.hasOwn(needed, name)) continue;
    const check = optional[name];
    if (!Object.hasOwn(optional, name) || check === undefined) {
      const near = nearestWord(name, [...Object.keys(needed), ...Object.keys(optional)]);
      throw bad(`${op}: unknown member ${name}`, near === undefined ? undefined : `Did you mean ${near}?`);
    }
    const problem = value === undefined ? undefined : check(value);
    if (problem !== undefined) throw bad(`${op}: ${name} ${problem}`);
  }
}

function bad(problem: string, hint?: string): Error {
  return simError("VERBENA_SIM_CONTROL_REQUEST", { details: { problem }, ...(hint === undefined ? {} : { hint }) });
}

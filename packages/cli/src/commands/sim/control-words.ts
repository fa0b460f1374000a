import { type ControlRequest, FAULT_TRAFFIC, type FaultTraffic, SA_MODES } from "@verbena/fabric-sim";
import { nearestWord } from "@verbena/ib";
import { parseDurationMs } from "../../duration.js";
import { cliError } from "../../errors.js";
import { wholeNumber } from "../../numbers.js";

/** Turns the words behind `sim ctl` into a request. Throws `VERBENA_CLI_USAGE_ARGUMENT`. */
export function parseControlWords(words: readonly string[]): ControlRequest {
  const [op, ...rest] = words;
  switch (op) {
    case "status":
    case "counters":
    case "topology":
      return noMore(rest, { op });
    case "reregister":
    case "sweep":
      return noMore(rest, { op: "sm", action: op });
    case "hand-over":
      return handOver(rest);
    case "link":
      return link(rest);
    case "sa":
      return sa(rest);
    case "addr":
      return addr(rest);
    case "addresses":
      return addresses(rest);
    case "lid":
      return lid(rest);
    case "fault":
      return fault(rest);
    case "node":
      return node(rest);
    case "route":
      return route(rest);
    case "routes":
      return routes(rest);
    case "paths":
      return paths(rest);
    case "trap":
      return trap(rest);
    case "gid":
      return gid(rest);
    case "pkey":
      return pkey(rest);
    default:
      throw usage(unknownRequest(op));
  }
}

const REQUESTS = [
  ...[
    "status",
    "link",
    "sa",
    "addr",
    "addresses",
    "reregister",
    "sweep",
    "hand-over",
    "lid",
    "gid",
    "pkey",
    "trap",
    "fault",
    "node",
    "route",
  ],
  ...["routes", "paths", "counters", "topology", "scenario"],
];

function unknownRequest(op: string | undefined): string {
  const near = op === undefined ? undefined : nearestWord(op, REQUESTS);
  const known = `there are ${REQUESTS.join(", ")}`;
  return `no request ${JSON.stringify(op)}; ${near === undefined ? known : `did you mean ${near}? ${known}`}`;
}

function link([action, end, ...rest]: readonly string[]): ControlRequest {
  if (action === "flap" && end !== undefined) {
    const [down, times, ...more] = rest;
    return noMore(more, {
      op: "link",
      action,
      end,
      ...(down === undefined ? {} : { downMs: parseDurationMs(down) }),
      ...(times === undefined ? {} : { times: wholeNumber("times", times) }),
    });
  }
  if ((action !== "up" && action !== "down") || end === undefined)
    throw usage("link takes `down END`, `up END` or `flap END [TIME] [TIMES]`");
  return noMore(rest, { op: "link", action, end });
}

function sa([mode, duration, delay, ...rest]: readonly string[]): ControlRequest {
  const known = SA_MODES.find((one) => one === mode);
  if (known === undefined) throw usage(`sa takes ${SA_MODES.join(", ")}`);
  return noMore(rest, {
    op: "sa",
    mode: known,
    ...(duration === undefined ? {} : { durationMs: parseDurationMs(duration) }),
    ...(delay === undefined ? {} : { delayMs: parseDurationMs(delay) }),
  });
}

function addr([action, first, second, pkey, ...rest]: readonly string[]): ControlRequest {
  if (action === "add" && first !== undefined && second !== undefined) {
    return noMore(rest, { op: "addr", action, node: first, address: second, ...(pkey === undefined ? {} : { pkey }) });
  }
  if (action === "del" && first !== undefined && second === undefined) return { op: "addr", action, address: first };
  if (action === "move" && first !== undefined && second !== undefined && pkey === undefined) {
    return { op: "addr", action, address: first, node: second };
  }
  throw usage("addr takes `add NODE[PORT] IP/PREFIX [PKEY]`, `del IP` or `move IP NODE[PORT]`");
}

function addresses([node, ...rest]: readonly string[]): ControlRequest {
  return noMore(rest, { op: "addresses", ...(node === undefined ? {} : { node }) });
}

function handOver([end, ...rest]: readonly string[]): ControlRequest {
  if (end === undefined) throw usage("hand-over takes `NODE[PORT]`");
  return noMore(rest, { op: "sm", action: "hand-over", end });
}

function lid([action, end, ...rest]: readonly string[]): ControlRequest {
  if (action !== "change" || end === undefined) throw usage("lid takes `change END`");
  return noMore(rest, { op: "lid", action, end });
}

/** Word before the `=` of a fault: the request's member and how its value is read. */
const FAULT_WORDS: ReadonlyMap<string, readonly [string, (text: string) => number | FaultTraffic]> = new Map<
  string,
  readonly [string, (text: string) => number | FaultTraffic]
>([
  ["loss", ["lossPercent", parsePercent]],
  ["delay", ["delayMs", parseDurationMs]],
  ["jitter", ["jitterMs", parseDurationMs]],
  ["duplicate", ["duplicatePercent", parsePercent]],
  ["reorder", ["reorderPercent", parsePercent]],
  ["traffic", ["traffic", parseTraffic]],
]);

function trap([end, number, ...rest]: readonly string[]): ControlRequest {
  if (end === undefined || number === undefined) throw usage("trap takes `NODE[PORT] 129|130|131`");
  return noMore(rest, { op: "trap", end, trap: wholeNumber("trap", number, { from: 129, to: 131 }) });
}

function gid([end, index, guid, ...rest]: readonly string[]): ControlRequest {
  if (end === undefined || index === undefined || guid === undefined) throw usage("gid takes `END INDEX GUID|clear`");
  const entry = guid === "clear" ? {} : { guid };
  return noMore(rest, { op: "gid", end, index: wholeNumber("gid", index, { from: 1, to: 31 }), ...entry });
}

function pkey([end, index, key, ...rest]: readonly string[]): ControlRequest {
  if (end === undefined || index === undefined || key === undefined) throw usage("pkey takes `END INDEX P_KEY|clear`");
  const entry = key === "clear" ? {} : { pkey: key };
  return noMore(rest, { op: "pkey", end, index: wholeNumber("pkey", index, { from: 0, to: 63 }), ...entry });
}

function fault([action, end, ...rest]: readonly string[]): ControlRequest {
  if (action === "list" && end === undefined) return { op: "fault", action };
  if (action === "clear") return noMore(rest, { op: "fault", action, ...(end === undefined ? {} : { end }) });
  if (action !== "set" || end === undefined || rest.length === 0) {
    throw usage(
      "fault takes `set END|all loss=5 delay=10ms jitter=5ms duplicate=1 reorder=2 traffic=data|mads`, `clear [END]` or `list`",
    );
  }
  const values: Record<string, number | FaultTraffic> = {};
  for (const word of rest) {
    const [name = "", text = ""] = word.split("=", 2);
    const [member, read] = FAULT_WORDS.get(name) ?? [];
    if (member === undefined || read === undefined) {
      throw usage(
        `no fault ${JSON.stringify(word)}; write ${[...FAULT_WORDS.keys()].map((one) => `${one}=…`).join(", ")}`,
      );
    }
    values[member] = read(text);
  }
  return { op: "fault", action, ...(end === "all" ? {} : { end }), ...values };
}

function parseTraffic(text: string): FaultTraffic {
  const traffic = FAULT_TRAFFIC.find((one) => one === text);
  if (traffic === undefined) throw usage(`traffic is ${FAULT_TRAFFIC.join(", ")}, not ${JSON.stringify(text)}`);
  return traffic;
}

/** `5` or `5%`. */
function parsePercent(text: string): number {
  const value = Number(text.replace(/%$/, ""));
  if (text.trim() === "" || !(value >= 0 && value <= 100)) throw usage(`${JSON.stringify(text)} is no percentage`);
  return value;
}

function node([action, name, text, ...rest]: readonly string[]): ControlRequest {
  if (name !== undefined) {
    if (action === "describe" && text !== undefined) return noMore(rest, { op: "node", action, node: name, text });
    if ((action === "remove" || action === "restore") && text === undefined) return { op: "node", action, node: name };
    if (action === "reboot") {
      return noMore(rest, {
        op: "node",
        action,
        node: name,
        ...(text === undefined ? {} : { downMs: parseDurationMs(text) }),
      });
    }
  }
  throw usage("node takes `describe NODE TEXT`, `remove NODE`, `restore NODE` or `reboot NODE [TIME]`");
}

function route([action, from, to, ...rest]: readonly string[]): ControlRequest {
  if (action !== "cut" || from === undefined || to === undefined) throw usage("route takes `cut FROM TO`");
  return noMore(rest, { op: "route", action, from, to });
}

function routes([from, to, ...rest]: readonly string[]): ControlRequest {
  if (from === undefined || to === undefined) throw usage("routes takes `FROM TO`");
  return noMore(rest, { op: "routes", from, to });
}

function paths([from, to, ...rest]: readonly string[]): ControlRequest {
  const ends = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  return noMore(rest, { op: "paths", ...ends });
}

function noMore(rest: readonly string[], request: ControlRequest): ControlRequest {
  if (rest.length > 0) throw usage(`too many words: ${rest.join(" ")}`);
  return request;
}

function usage(what: string): Error {
  return cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what } });
}

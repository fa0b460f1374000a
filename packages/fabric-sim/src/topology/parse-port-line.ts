import { parseComment } from "./comment.js";
import type { LineCursor } from "./line-cursor.js";
import { ALL_SPEEDS, ALL_WIDTHS, SPEED_NAMES, speedsNamed, widthsNamed } from "./link-speed.js";
import type { NodeStatement, PortStatement } from "./statements.js";

const HINT = 'write a connection as: [1] "S1"[3], or with a port GUID: [1](2c90300000002) "S1"[3]';

/** Reads a line that begins with `[`. Node names without a module are taken to be of the module `prefix`. */
export function parsePortLine(cursor: LineCursor, node: NodeStatement, prefix: string): PortStatement {
  const place = cursor.place();
  const number = Number(cursor.need(/\[(\d+)\]/y, "a port number in brackets", HINT)[1]);
  const lowest = node.kind === "switch" ? 0 : 1;
  if (number < lowest || number > node.portCount) {
    throw cursor.error(
      "VERBENA_SIM_TOPOLOGY_VALUE",
      `"${node.id}" has ports ${lowest} to ${node.portCount}, not ${number}`,
      "correct the port number, or the port count of the node",
      place.column - 1,
    );
  }
  skipExternalPort(cursor);
  const guid = cursor.skipSpace().take(/\(([0-9a-fA-F]+)\)/y)?.[1];
  cursor.skipSpace();
  const remotePlace = cursor.place();
  const name = cursor.need(/"([^"]+)"/y, "the quoted name of the other node", HINT)[1] ?? "";
  if (name.includes("@")) {
    throw cursor.error(
      "VERBENA_SIM_TOPOLOGY_SYNTAX",
      `"${name}" is an alias`,
      'ibsim\'s port aliases are not read; name the node and port instead: "S1"[3]',
      remotePlace.column - 1,
    );
  }
  const remotePort = Number(cursor.take(/\[(\d+)\]/y)?.[1] ?? 1);
  skipExternalPort(cursor);
  cursor.take(/\([0-9a-fA-F]+\)/y);
  const options = parseOptions(cursor);
  const comment = parseComment(cursor.rest.replace(/^\s*#?/, ""), node.kind === "switch" ? "switch-port" : "ca-port");
  const { description: _neighbour, ...facts } = comment;
  return {
    place,
    number,
    ...(guid === undefined ? {} : { guid: BigInt(`0x${guid}`) }),
    remoteId: prefix === "" || name.includes("#") ? name : `${prefix}#${name}`,
    remotePort,
    remotePlace,
    ...options,
    ...facts,
  };
}

/** ibnetdiscover's grouping mode adds the number printed on the chassis. */
function skipExternalPort(cursor: LineCursor): void {
  cursor.take(/\[ext \d+\]/y);
}

function parseOptions(cursor: LineCursor): { widths?: number; speeds?: number } {
  const options: { widths?: number; speeds?: number } = {};
  for (;;) {
    cursor.skipSpace();
    if (cursor.rest === "" || cursor.rest.startsWith("#")) return options;
    const at = cursor.offset;
    const [, name, value] = cursor.need(/([A-Za-z]+)=(\S+)/y, "w=…, s=… or a comment", HINT);
    if (name === undefined || value === undefined) return options;
    if (name === "w") options.widths = mask(cursor, at, value, widthsNamed(value), ALL_WIDTHS, "1x, 2x, 4x, 8x, 12x");
    else if (name === "s")
      options.speeds = mask(cursor, at, value, speedsNamed(value), ALL_SPEEDS, SPEED_NAMES.join(", "));
    else {
      throw cursor.error(
        "VERBENA_SIM_TOPOLOGY_SYNTAX",
        `unknown port option "${name}"`,
        "ports take w= (widths) and s= (speeds)",
        at,
      );
    }
  }
}

/** A number is a mask of codes, as in ibsim; a name stands for itself and all that is less. */
function mask(
  cursor: LineCursor,
  at: number,
  text: string,
  named: number | undefined,
  all: number,
  names: string,
): number {
  const value = named ?? (/^(\d+|0x[0-9a-f]+)$/i.test(text) ? Number(text) : Number.NaN);
  if (!(value >= 1 && value <= all)) {
    throw cursor.error(
      "VERBENA_SIM_TOPOLOGY_VALUE",
      `"${text}" is no width or speed`,
      `give one of ${names}, or a mask of codes from 1 to ${all}`,
      at,
    );
  }
  return value;
}

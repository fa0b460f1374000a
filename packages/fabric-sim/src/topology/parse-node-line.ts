import { parseComment } from "./comment.js";
import type { LineCursor } from "./line-cursor.js";
import type { NodeKind } from "./model.js";
import type { NodeStatement } from "./statements.js";

const KINDS: Readonly<Record<string, NodeKind>> = { Switch: "switch", Hca: "ca", Ca: "ca", Rt: "router" };

/** Words that begin a node. */
export const NODE_WORDS = Object.keys(KINDS);

/** Largest number of external ports: PortInfo numbers ports in 8 bits, and 255 means "all". */
export const MAX_PORTS = 254;

const HINT = 'write a node as: Switch 8 "S1", Hca 2 "H1" or Ca 1 "H-0002c90300000001"';

/** Reads a node line whose first word is one of `NODE_WORDS`. */
export function parseNodeLine(cursor: LineCursor, prefix: string): NodeStatement {
  const place = cursor.place();
  const word = cursor.need(/Switch|Hca|Ca|Rt/y, "a kind of node", HINT)[0];
  const kind = KINDS[word] ?? "ca";
  const countAt = cursor.skipSpace().offset;
  const portCount = Number(cursor.need(/\d+/y, "a number of ports", HINT)[0]);
  if (portCount < 1 || portCount > MAX_PORTS) {
    throw cursor.error(
      "VERBENA_SIM_TOPOLOGY_VALUE",
      `a node has 1 to ${MAX_PORTS} ports, not ${portCount}`,
      "correct the number behind the kind of node",
      countAt,
    );
  }
  cursor.skipSpace();
  const idAt = cursor.offset;
  const bare = cursor.need(/"([^"]+)"/y, "a quoted node name", HINT)[1] ?? "";
  if (/[#@]/.test(bare)) {
    throw cursor.error(
      "VERBENA_SIM_TOPOLOGY_SYNTAX",
      `the node name "${bare}" contains # or @`,
      "ibsim reserves these two characters in node names; leave them out",
      idAt,
    );
  }
  const commentAt = cursor.text.indexOf("#", cursor.offset);
  const between = cursor.text.slice(cursor.offset, commentAt < 0 ? undefined : commentAt).trim();
  if (between !== "") {
    throw cursor.error("VERBENA_SIM_TOPOLOGY_SYNTAX", `unexpected "${between}" behind the node name`, HINT);
  }
  const comment = commentAt < 0 ? {} : parseComment(cursor.text.slice(commentAt + 1), "node");
  return {
    place,
    kind,
    portCount,
    id: prefix === "" ? bare : `${prefix}#${bare}`,
    ...(comment.description === undefined ? {} : { description: comment.description }),
    ...(comment.lid === undefined ? {} : { lid: comment.lid }),
    ...(comment.lmc === undefined ? {} : { lmc: comment.lmc }),
    ...(comment.mtuBytes === undefined ? {} : { mtuBytes: comment.mtuBytes }),
  };
}

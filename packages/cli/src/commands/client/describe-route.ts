import type { RouteEndJson, RouteJson } from "@verbena/core/client";
import { printable } from "@verbena/ib";
import { drawRoute } from "../../output/draw-route.js";

/**
 * A route as a drawing, then link by link in the manner of `ibtracert`:
 *
 *     from ca 0x0002c90300100001 port 1 lid 1 "node1 HCA-1"
 *     [1] -> switch 0x0000000000200000 port 3 lid 4 "leaf 1"
 */
export function describeRoute({ slid, dlid, hops, problem }: RouteJson): string {
  const [first] = hops;
  if (first === undefined && problem === undefined) return `route  LID ${slid} is the port itself\n`;
  const names = new Map(hops.flatMap(({ from, to }) => [from, to]).map((end) => [end.nodeGuid, nameOf(end)]));
  const end = ({ nodeGuid, port }: RouteEndJson): string => `${nodeGuid}[${port}]`;
  const drawing = drawRoute(
    { hops: hops.map(({ from, to }) => ({ from: end(from), to: end(to) })) },
    (guid) => names.get(guid) ?? guid,
  );
  const lines = [
    `route  LID ${slid} to LID ${dlid}`,
    ...(first === undefined ? [] : [`  from ${describeEnd(first.from)}`]),
    ...hops.map(({ from, to }) => `  [${from.port}] -> ${describeEnd(to)}`),
    ...(problem === undefined ? [] : [`  not followed further: ${printable(problem)}`]),
  ];
  return `${drawing}${lines.join("\n")}\n`;
}

function describeEnd(end: RouteEndJson): string {
  return `${end.kind} ${end.portGuid} port ${end.port} lid ${end.lid} "${nameOf(end)}"`;
}

/** A NodeDescription is a stranger's text. */
function nameOf({ description, nodeGuid }: RouteEndJson): string {
  const text = printable(description).trim();
  return text === "" ? nodeGuid : text;
}

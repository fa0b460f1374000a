import { drawRoute } from "../../output/draw-route.js";
import { renderTable } from "../../output/table.js";
import { COUNTER_LABELS } from "../client/stats.js";
import type { DemoPath, DemoResult } from "./demo.js";

/** What the demonstration shows, as text. */
export function describeDemo({ fabric, daemons, from, paths, route, back, counters }: DemoResult): string {
  const to = paths[0]?.asked ?? "";
  return [
    `The fabric: ${String(fabric.hosts)} hosts, ${String(fabric.switches)} switches, ${String(fabric.links)} links; daemons on ${daemons.join(" and ")}`,
    "",
    `${from} resolves a name, an IPv4 and an IPv6 address, a GID and a LID:`,
    "",
    indent(pathTable(paths)),
    `The way of a packet from ${from} to ${to} (the numbers are ports):`,
    "",
    indent(drawRoute(route, nameOf)),
    `${to} resolves the way back:`,
    "",
    indent(pathTable([back])),
    `What ${from}'s daemon has counted:`,
    "",
    indent(renderTable(...counterTable(counters))),
  ].join("\n");
}

function pathTable(paths: readonly DemoPath[]): string {
  return renderTable(
    ["asked by", "destination", "DGID", "DLID", "SLID", "P_Key", "SL", "MTU", "rate"],
    paths.map(({ kind, asked, path }) => [
      kind,
      asked,
      path.dgid,
      String(path.dlid),
      String(path.slid),
      path.pkey,
      String(path.sl),
      String(path.mtuBytes ?? path.mtu),
      path.rateGbps === undefined ? String(path.rate) : `${String(path.rateGbps)} Gb/s`,
    ]),
  );
}

function counterTable(counters: DemoResult["counters"]): [readonly string[], readonly (readonly string[])[]] {
  return [["counter", "value"], COUNTER_LABELS.map(([key, label]) => [label, String(counters[key])])];
}

/** Topology ids of the generated cluster as the names people would see: `H3` is `node3`. */
function nameOf(id: string): string {
  const words: Readonly<Record<string, string>> = { H: "node", L: "leaf", S: "spine" };
  return `${words[id.slice(0, 1)] ?? id.slice(0, 1)}${id.slice(1)}`;
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}

import { MgmtClass, madAttributeNamed, madNames, mgmtClassNamed, nearestWord } from "@verbena/ib";
import type { TraceEventName, TraceSelection } from "../control/protocol.js";
import { simError } from "../errors.js";
import type { TraceRecord } from "../fabric/events.js";
import type { Fabric } from "../fabric/fabric.js";
import type { FabricPort } from "../fabric/port.js";
import { needNodesNamed } from "../topology/node-names.js";
import { madOf } from "./mad-of.js";

/** True for a record that a reader wants. */
export type TraceFilter = (record: TraceRecord) => boolean;

const CLASS_AT = 1;
const ATTRIBUTE_AT = 16;
const ALL_CLASSES: readonly number[] = Array.from({ length: 256 }, (_, mgmtClass) => mgmtClass);

/**
 * Makes a filter out of a request.
 *
 * @throws VerbenaError `VERBENA_SIM_NODE_UNKNOWN`, `VERBENA_SIM_CONTROL_REQUEST` for a name of a class or attribute that nobody knows
 */
export function traceFilter(fabric: Fabric, selection: TraceSelection): TraceFilter {
  const parts = [byEvent(selection.events), byPlace(fabric, selection), byMad(selection)];
  const filters = parts.filter((part) => part !== undefined);
  return (record) => filters.every((matches) => matches(record));
}

function byEvent(events: readonly TraceEventName[] | undefined): TraceFilter | undefined {
  return events === undefined ? undefined : ({ type }) => events.includes(type);
}

function byPlace(fabric: Fabric, { node, port }: TraceSelection): TraceFilter | undefined {
  if (node === undefined && port === undefined) return undefined;
  const nodes = node === undefined ? undefined : new Set(needNodesNamed(fabric.nodes, node));
  const isThere = (at: FabricPort) =>
    (nodes === undefined || nodes.has(at.node)) && (port === undefined || at.number === port);
  return (record) =>
    record.type === "forward" ? isThere(record.hop.from) || isThere(record.hop.to) : isThere(record.port);
}

function byMad({ class: className, attribute }: TraceSelection): TraceFilter | undefined {
  if (className === undefined && attribute === undefined) return undefined;
  const classes = className === undefined ? ALL_CLASSES : classesNamed(className);
  const wanted = new Map(
    classes.flatMap((mgmtClass) => {
      const id = attribute === undefined ? undefined : madAttributeNamed(mgmtClass, attribute);
      return attribute !== undefined && id === undefined ? [] : [[mgmtClass, id] as const];
    }),
  );
  if (wanted.size === 0) throw unknown("attribute", attribute, madNames(classes[0] ?? 0).attributes);
  return ({ packet }) => {
    const mad = madOf(packet);
    const mgmtClass = mad?.readUInt8(CLASS_AT) ?? -1;
    if (mad === undefined || !wanted.has(mgmtClass)) return false;
    const id = wanted.get(mgmtClass);
    return id === undefined || mad.readUInt16BE(ATTRIBUTE_AT) === id;
  };
}

/** `sm` means both classes of subnet management. */
function classesNamed(name: string): readonly number[] {
  if (name.toLowerCase() === "sm") return [MgmtClass.SUBN_LID_ROUTED, MgmtClass.SUBN_DIRECTED_ROUTE];
  const mgmtClass = mgmtClassNamed(name);
  if (mgmtClass === undefined) throw unknown("class", name, madNames(0).classes);
  return [mgmtClass];
}

function unknown(what: string, name: string | undefined, known: readonly string[]): Error {
  const near = nearestWord(name ?? "", known);
  return simError("VERBENA_SIM_CONTROL_REQUEST", {
    details: { problem: `no ${what} is named ${JSON.stringify(name)}` },
    hint: near === undefined ? `Known: ${known.join(", ")}; or a number.` : `Did you mean ${near}?`,
  });
}

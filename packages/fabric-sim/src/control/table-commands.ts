import { Guid, PKey } from "@verbena/ib";
import { simError } from "../errors.js";
import { loggedPort } from "../event-log/describe-port.js";
import type { Fabric } from "../fabric/fabric.js";
import type { FabricPort } from "../fabric/port.js";
import { GUID_CAP, partitionCap } from "../sma/attributes.js";
import { replaceEntry } from "../sma/table-entries.js";
import type { ControlRequest, ControlResults } from "./protocol.js";

/** Writes an alias into the GID table of a host port, as a Set of GUIDInfo does. */
export function changeGid(fabric: Fabric, request: Extract<ControlRequest, { op: "gid" }>): ControlResults["gid"] {
  const { index } = request;
  const port = hostPort(fabric, request.end);
  if (index < 1 || index >= GUID_CAP) throw bad(`gid: index must be from 1 to ${GUID_CAP - 1}; 0 is the port's own`);
  const guid = request.guid === undefined ? Guid.zero : Guid.tryParse(request.guid);
  if (guid === undefined) throw bad(`gid: "${request.guid ?? ""}" is no GUID`);
  const owner = guid === Guid.zero ? undefined : ownerOf(fabric, guid);
  if (owner !== undefined && owner !== port) throw bad(`gid: ${owner.name} has that GUID`);
  port.aliasGuids = replaceEntry(port.aliasGuids, index - 1, guid, Guid.zero);
  fabric.events.emit({ type: "state", port });
  fabric.events.emit({ type: "async-event", port, event: "gid-change" });
  return { gids: loggedPort(port).gids };
}

/** Writes an entry of the P_Key table of a host port, as a Set of P_KeyTable does. */
export function changePkey(fabric: Fabric, request: Extract<ControlRequest, { op: "pkey" }>): ControlResults["pkey"] {
  const { index } = request;
  const port = hostPort(fabric, request.end);
  if (index >= partitionCap(port)) throw bad(`pkey: index must be from 0 to ${partitionCap(port) - 1}`);
  const pkey = request.pkey === undefined ? PKey.zero : PKey.tryParse(request.pkey);
  if (pkey === undefined) throw bad(`pkey: "${request.pkey ?? ""}" is no P_Key`);
  port.pkeys = replaceEntry(port.pkeys, index, pkey, PKey.zero);
  fabric.events.emit({ type: "state", port });
  fabric.events.emit({ type: "async-event", port, event: "pkey-change" });
  return { pkeys: loggedPort(port).pkeys };
}

function ownerOf(fabric: Fabric, guid: Guid): FabricPort | undefined {
  return fabric.nodes.flatMap((node) => node.endPorts).find((port) => port.hasGuid(guid));
}

function hostPort(fabric: Fabric, end: string): FabricPort {
  const port = fabric.portNamed(end);
  if (port.node.kind === "switch") {
    throw simError("VERBENA_SIM_PORT_UNKNOWN", {
      details: { name: end, problem: "it is a switch; name a host's port" },
    });
  }
  return port;
}

function bad(problem: string): Error {
  return simError("VERBENA_SIM_CONTROL_REQUEST", { details: { problem } });
}

import { Guid, LinkSpeed, LinkWidth, Mtu, NODE_DESCRIPTION_SIZE } from "@verbena/ib";
import type { NodeDraft } from "./draft.js";
import { topologyError } from "./line-cursor.js";
import { type LinkMasks, masksUpTo, negotiate } from "./link-speed.js";
import type { SourcePlace, Topology, TopologyNode, TopologyPort } from "./model.js";
import type { PortStatement } from "./statements.js";

const LAST_UNICAST_LID = 0xbfff;

/** Checks what only the whole file can show (links, GUIDs, LIDs) and makes the topology. */
export function buildTopology(drafts: readonly NodeDraft[]): Topology {
  const byId = new Map(drafts.map((draft) => [draft.statement.id, draft]));
  for (const draft of drafts) {
    for (const connection of draft.connections.values()) checkConnection(draft, connection, byId);
  }
  const nodes = drafts.map(toNode);
  checkGuids(nodes, byId);
  checkLids(nodes, byId);
  return { nodes };
}

function checkConnection(draft: NodeDraft, here: PortStatement, byId: ReadonlyMap<string, NodeDraft>): void {
  const ends = `"${draft.statement.id}"[${here.number}] and "${here.remoteId}"[${here.remotePort}]`;
  const remote = byId.get(here.remoteId);
  if (remote === undefined) {
    throw linkError(here.remotePlace, `no node "${here.remoteId}"`, "add the node, or correct the name");
  }
  const there = remote.connections.get(here.remotePort);
  if (there === undefined) {
    throw linkError(
      here.remotePlace,
      `"${here.remoteId}" does not say where its port ${here.remotePort} leads`,
      `add the line [${here.remotePort}] "${draft.statement.id}"[${here.number}] to "${here.remoteId}"`,
    );
  }
  if (there.remoteId !== draft.statement.id || there.remotePort !== here.number) {
    throw linkError(
      here.remotePlace,
      `"${here.remoteId}"[${here.remotePort}] is connected to "${there.remoteId}"[${there.remotePort}]`,
      `line ${there.place.line} of ${there.place.file} says so; make both ends name each other`,
    );
  }
  if (remote === draft && here.remotePort === here.number) {
    throw linkError(here.remotePlace, `port ${here.number} is connected to itself`, "name another port");
  }
  if (negotiate(masksOf(draft, here), masksOf(remote, there)) === undefined) {
    throw linkError(
      here.place,
      `${ends} have no common width and speed`,
      "w= and s= are masks of codes; see docs/simulator.md",
    );
  }
}

function linkError(place: SourcePlace, problem: string, hint: string): Error {
  return topologyError("VERBENA_SIM_TOPOLOGY_LINK", place, problem, hint);
}

function masksOf(draft: NodeDraft, connection: PortStatement | undefined): LinkMasks {
  const base = connection?.rate === undefined ? draft.masks : masksUpTo(connection.rate);
  return { widths: connection?.widths ?? base.widths, speeds: connection?.speeds ?? base.speeds };
}

function toNode(draft: NodeDraft): TopologyNode {
  const { statement } = draft;
  const description = statement.description ?? statement.id;
  if (Buffer.byteLength(description) > NODE_DESCRIPTION_SIZE) {
    throw topologyError(
      "VERBENA_SIM_TOPOLOGY_VALUE",
      statement.place,
      `the NodeDescription "${description.slice(0, 24)}…" is longer than ${NODE_DESCRIPTION_SIZE} bytes`,
      'shorten it, or give a short one in the comment: # "node1 HCA-1"',
    );
  }
  const first = statement.kind === "switch" ? 0 : 1;
  const ports: TopologyPort[] = [];
  for (let number = first; number <= statement.portCount; number++) ports.push(toPort(draft, number));
  return {
    id: statement.id,
    kind: statement.kind,
    description,
    nodeGuid: Guid.from(draft.nodeGuid),
    systemImageGuid: Guid.from(draft.systemImageGuid ?? draft.nodeGuid),
    vendorId: draft.vendorId,
    deviceId: draft.deviceId,
    portCount: statement.portCount,
    ports,
    pkeys: draft.pkeys,
  };
}

function toPort(draft: NodeDraft, number: number): TopologyPort {
  const { statement } = draft;
  const connection = draft.connections.get(number);
  const guid = portGuid(draft, number, connection);
  if (number === 0) {
    return {
      number,
      guid,
      ...(statement.lid === undefined ? {} : { lid: statement.lid }),
      lmc: statement.lmc ?? 0,
      mtu: mtuOf(draft, statement),
      widths: LinkWidth.WIDTH_4X,
      speeds: LinkSpeed.SDR,
    };
  }
  const isHostPort = statement.kind !== "switch";
  return {
    number,
    guid,
    ...(isHostPort && connection?.lid !== undefined ? { lid: connection.lid } : {}),
    lmc: isHostPort ? (connection?.lmc ?? 0) : 0,
    mtu: mtuOf(draft, connection),
    ...masksOf(draft, connection),
    ...(connection === undefined ? {} : { remote: { node: connection.remoteId, port: connection.remotePort } }),
  };
}

function portGuid(draft: NodeDraft, number: number, connection: PortStatement | undefined): Guid {
  if (draft.statement.kind === "switch") return Guid.from(draft.portGuid ?? draft.nodeGuid);
  const only = draft.statement.portCount === 1 ? draft.portGuid : undefined;
  return Guid.from(connection?.guid ?? only ?? draft.nodeGuid + BigInt(number));
}

/** What a comment says of the port, else the default of the lines above. */
function mtuOf(draft: NodeDraft, said: { readonly place: SourcePlace; readonly mtuBytes?: number } | undefined): Mtu {
  if (said?.mtuBytes === undefined) return draft.mtu;
  const code = Mtu.fromBytes(said.mtuBytes);
  if (code !== undefined) return code;
  throw topologyError(
    "VERBENA_SIM_TOPOLOGY_VALUE",
    said.place,
    `${said.mtuBytes} is no MTU`,
    "InfiniBand has 256, 512, 1024, 2048 and 4096 bytes",
  );
}

function checkGuids(nodes: readonly TopologyNode[], byId: ReadonlyMap<string, NodeDraft>): void {
  const owners = new Map<Guid, string>();
  for (const node of nodes) {
    const own = new Set<Guid>([node.nodeGuid, ...node.ports.map((port) => port.guid)]);
    const distinctPorts =
      node.kind === "switch" || new Set(node.ports.map((port) => port.guid)).size === node.ports.length;
    for (const guid of own) {
      const owner = distinctPorts ? owners.get(guid) : node.id;
      if (owner !== undefined) {
        throw topologyError(
          "VERBENA_SIM_TOPOLOGY_DUPLICATE",
          placeOf(node, byId),
          `GUID ${Guid.format(guid)} of "${node.id}" is taken by "${owner}"`,
          "GUIDs that the file does not give are counted from 0x100000 (HCAs) and 0x200000 (switches); give others by caguid= or switchguid=",
        );
      }
      owners.set(guid, node.id);
    }
  }
}

function checkLids(nodes: readonly TopologyNode[], byId: ReadonlyMap<string, NodeDraft>): void {
  const owners = new Map<number, string>();
  for (const node of nodes) {
    for (const port of node.ports) {
      if (port.lid === undefined || port.lid === 0) continue;
      const count = 1 << port.lmc;
      const place = placeOf(node, byId);
      if (port.lmc > 7 || port.lid % count !== 0 || port.lid + count - 1 > LAST_UNICAST_LID) {
        throw topologyError(
          "VERBENA_SIM_TOPOLOGY_VALUE",
          place,
          `LID ${port.lid} with LMC ${port.lmc} is no base LID`,
          "a base LID is a multiple of 2^LMC, LMC is 0 to 7, the last LID at most 49151",
        );
      }
      for (let lid = port.lid; lid < port.lid + count; lid++) {
        const owner = owners.get(lid);
        if (owner !== undefined) {
          throw topologyError(
            "VERBENA_SIM_TOPOLOGY_DUPLICATE",
            place,
            `LID ${lid} of "${node.id}" is taken by "${owner}"`,
            "remove the lid from one of the two comments; the subnet manager then chooses",
          );
        }
        owners.set(lid, node.id);
      }
    }
  }
}

function placeOf(node: TopologyNode, byId: ReadonlyMap<string, NodeDraft>): SourcePlace {
  return byId.get(node.id)?.statement.place ?? { file: "topology", line: 1, column: 1 };
}

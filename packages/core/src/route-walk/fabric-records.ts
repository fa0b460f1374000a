import {
  decodeLftRecord,
  decodeLinkRecord,
  decodeNodeRecord,
  encodeLftRecord,
  encodeLinkRecord,
  LINK_RECORD_SIZE,
  type Lid,
  MgmtClass,
  madAttributeName,
  NODE_RECORD_SIZE,
  NodeType,
  SaAttribute,
  TABLE_BLOCK_SIZE,
  TABLE_RECORD_SIZE,
} from "@verbena/ib";
import type { SaQuery, SaService } from "../sdk/services.js";
import type { RouteEnd } from "./route-walk.js";

/** A node as one of its LIDs leads to it. */
export type RouteNode = Omit<RouteEnd, "port">;

/** What belongs to every query of one walk. */
export type WalkContext = Pick<SaQuery, "signal" | "deadlineMs" | "requestId">;

/** The other end of a cable. */
export interface FarEnd {
  readonly lid: Lid;
  readonly port: number;
}

/** SA class status of an empty answer (IBA 15.2.2 ERR_NO_RECORDS). */
const NO_RECORDS = 0x0300;
/** Component masks of single fields (IBA 15.2.5.2, 15.2.5.6, 15.2.5.13). */
const NODE_LID = 1n;
const LFT_LID_AND_BLOCK = 3n;
const LINK_FROM_LID_AND_PORT = 3n;

const KINDS: Readonly<Record<number, RouteEnd["kind"]>> = {
  [NodeType.CHANNEL_ADAPTER]: "ca",
  [NodeType.SWITCH]: "switch",
  [NodeType.ROUTER]: "router",
};

/** Single records of the subnet's map, each by one Get. `undefined`: the administrator has none. Rejects as {@link SaService} does. */
export class FabricRecords {
  constructor(
    private readonly sa: SaService,
    private readonly context: WalkContext,
  ) {}

  async node(lid: Lid): Promise<RouteNode | undefined> {
    const wanted = Buffer.alloc(NODE_RECORD_SIZE);
    wanted.writeUInt16BE(lid);
    const found = await this.#get(SaAttribute.NODE_RECORD, NODE_LID, wanted);
    if (found === undefined) return undefined;
    const { nodeInfo, nodeDescription, lid: baseLid } = decodeNodeRecord(found);
    const { nodeType, nodeGuid, portGuid } = nodeInfo;
    return { lid: baseLid, kind: KINDS[nodeType] ?? "unknown", nodeGuid, portGuid, description: nodeDescription };
  }

  /** Where the cable in a port leads. */
  async link(fromLid: Lid, fromPort: number): Promise<FarEnd | undefined> {
    const wanted = encodeLinkRecord({ fromLid, fromPort, toPort: 0, toLid: 0 as Lid });
    const found = await this.#get(SaAttribute.LINK_RECORD, LINK_FROM_LID_AND_PORT, wanted);
    if (found === undefined || found.length < LINK_RECORD_SIZE) return undefined;
    const { toLid, toPort } = decodeLinkRecord(found);
    return { lid: toLid, port: toPort };
  }

  /** Port by which a switch forwards to `dlid`; 0 is the switch itself, 255 drops (IBA 14.2.5.13). */
  async outPort(switchLid: Lid, dlid: Lid): Promise<number | undefined> {
    const blockNum = Math.floor(dlid / TABLE_BLOCK_SIZE);
    const wanted = encodeLftRecord({ lid: switchLid, blockNum, ports: [] });
    const found = await this.#get(SaAttribute.LINEAR_FT_RECORD, LFT_LID_AND_BLOCK, wanted);
    if (found === undefined || found.length < TABLE_RECORD_SIZE) return undefined;
    return decodeLftRecord(found).ports[dlid % TABLE_BLOCK_SIZE];
  }

  async #get(attributeId: number, componentMask: bigint, record: Buffer): Promise<Buffer | undefined> {
    const { status, records } = await this.sa.query({
      ...this.context,
      method: "get",
      attributeId,
      componentMask,
      record,
    });
    if (status === NO_RECORDS) return undefined;
    if (status !== 0) throw new RefusedRecord(attributeId, status);
    return records[0];
  }
}

/** The administrator answered with another status than "no records". */
export class RefusedRecord extends Error {
  constructor(attributeId: number, status: number) {
    const name = madAttributeName(MgmtClass.SUBN_ADM, attributeId);
    super(`the subnet administrator refused ${name} with status 0x${status.toString(16).padStart(4, "0")}`);
  }
}

import {
  decodeMadHeader,
  encodeIbPacket,
  type IbPacket,
  Lid,
  MAD_SIZE,
  MadMethod,
  MadStatus,
  MgmtClass,
  SMP_DATA_OFFSET,
  SMP_DATA_SIZE,
  SmAttribute,
} from "@verbena/ib";
import type { Fabric } from "../fabric/fabric.js";
import type { FabricPort } from "../fabric/port.js";
import { decodePacket } from "../gsi/gsi.js";
import { answerGet, type SmaAnswer } from "./answer.js";
import { applySet } from "./apply.js";
import { type DirectedArrival, turnAround, walkDirectedRoute } from "./directed-route.js";
import { type LinkTrap, Traps } from "./traps.js";

const METHOD_AT = 3;
const STATUS_AT = 4;
const CLASS_VERSION = 1;

/** The subnet management agents of all nodes, and the way of directed-route packets between them. */
export class SubnetManagementAgents {
  readonly #traps: Traps;

  /** `isManaged`: a subnet manager on the fabric writes to the agents; else Set is refused, and no change needs a trap. */
  constructor(
    private readonly fabric: Fabric,
    private readonly isManaged: boolean,
  ) {
    this.#traps = new Traps(fabric, isManaged);
  }

  close(): void {
    this.#traps.close();
  }

  /** Lets a link raise a trap; false if the node knows no manager to send it to. */
  trap(port: FabricPort, trapNumber: LinkTrap): boolean {
    return this.#traps.raise(port, trapNumber);
  }

  /**
   * Takes over a directed-route packet sent at `port`: true if it was one. It is answered by the agent where its way ends, or
   * handed on to the programs there.
   */
  sendDirected(port: FabricPort, packet: Buffer): boolean {
    const decoded = smp(packet, MgmtClass.SUBN_DIRECTED_ROUTE);
    if (decoded === undefined) return false;
    const mad = Buffer.from(decoded.payload);
    const arrival = this.#walk(port, packet, decoded, mad);
    if (arrival === undefined) return true;
    const { trace } = this.fabric;
    const request = trace.isEmpty ? undefined : rewrap(decoded, mad);
    if (!arrival.isReturning && this.#answer(arrival.port, mad)) {
      if (request !== undefined) trace.emit({ type: "deliver", port: arrival.port, packet: request, origin: packet });
      turnAround(mad);
      const answer = rewrap(decoded, mad);
      const back = this.#walk(arrival.port, answer, decoded, mad);
      if (back !== undefined) this.fabric.arriveAt(back.port, rewrap(decoded, mad), answer);
      return true;
    }
    this.fabric.arriveAt(arrival.port, rewrap(decoded, mad), packet);
    return true;
  }

  /** Walks a directed-route MAD; traces see the packet at every link. `undefined`: it was dropped. */
  #walk(start: FabricPort, origin: Buffer, wrapping: IbPacket, mad: Buffer): DirectedArrival | undefined {
    const { trace } = this.fabric;
    if (!trace.isEmpty) trace.emit({ type: "send", port: start, packet: origin });
    const end = walkDirectedRoute(
      start,
      mad,
      trace.isEmpty
        ? undefined
        : (hop) => {
            trace.emit({ type: "forward", hop, packet: rewrap(wrapping, mad), origin });
          },
    );
    if (!("dropped" in end)) return end;
    this.fabric.drop(end.port, origin, end.dropped);
    return undefined;
  }

  /** Takes a LID-routed request that arrived at a port, and answers it: true if it was one for the agent. */
  receive(port: FabricPort, packet: Buffer): boolean {
    const decoded = smp(packet, MgmtClass.SUBN_LID_ROUTED);
    if (decoded === undefined) return false;
    const mad = Buffer.from(decoded.payload);
    const { method, tid } = decodeMadHeader(mad);
    // Ends a trap and is not answered itself; without one it is for a program.
    if (method === MadMethod.TRAP_REPRESS) return this.#traps.repress(endPort(port), tid);
    if (!this.#answer(port, mad)) return false;
    const { lrh, bth } = decoded;
    const answer: IbPacket = {
      ...decoded,
      lrh: { ...lrh, dlid: lrh.slid, slid: lrh.dlid },
      bth: { ...bth, destQpn: 0 },
      payload: mad,
    };
    this.fabric.send(port, encodeIbPacket(answer));
    return true;
  }

  /** Makes the response of a request in place; false if the request is not the agent's. */
  #answer(entry: FabricPort, mad: Buffer): boolean {
    const { method, attributeId, attributeModifier, classVersion } = decodeMadHeader(mad);
    if (method !== MadMethod.GET && method !== MadMethod.SET) return false;
    // The subnet manager itself answers SMInfo: the built-in one here, others as programs.
    if (attributeId === SmAttribute.SM_INFO && !entry.hasBuiltInSm) return false;
    const query = { node: entry.node, entry, attributeId, attributeModifier };
    let data: SmaAnswer = { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };
    if (classVersion !== CLASS_VERSION) data = { status: MadStatus.BAD_VERSION };
    else if (method === MadMethod.GET) data = answerGet(query);
    else if (this.isManaged) data = applySet(this.fabric, query, attributeOf(mad));
    mad.writeUInt8(MadMethod.GET_RESP, METHOD_AT);
    if ("status" in data) {
      mad.writeUInt16BE(data.status, STATUS_AT);
      return true;
    }
    mad.writeUInt16BE(MadStatus.OK, STATUS_AT);
    mad.fill(0, SMP_DATA_OFFSET, SMP_DATA_OFFSET + SMP_DATA_SIZE);
    mad.set(data, SMP_DATA_OFFSET);
    return true;
  }
}

/** A copy: what is written must not change with the packet. */
function attributeOf(mad: Buffer): Buffer {
  return Buffer.from(mad.subarray(SMP_DATA_OFFSET, SMP_DATA_OFFSET + SMP_DATA_SIZE));
}

/** A trap is the port's that has a LID: port 0 of a switch. */
function endPort(port: FabricPort): FabricPort {
  return port.node.kind === "switch" ? (port.node.ports[0] ?? port) : port;
}

function smp(packet: Buffer, mgmtClass: number): IbPacket | undefined {
  const decoded = decodePacket(packet);
  const mad = decoded?.payload;
  if (decoded?.bth.destQpn !== 0 || mad?.length !== MAD_SIZE || mad.readUInt8(1) !== mgmtClass) return undefined;
  return decoded;
}

function rewrap(packet: IbPacket, mad: Buffer): Buffer {
  const { lrh } = packet;
  return encodeIbPacket({ ...packet, lrh: { ...lrh, dlid: Lid.PERMISSIVE, slid: Lid.PERMISSIVE }, payload: mad });
}

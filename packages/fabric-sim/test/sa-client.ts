import {
  BthOpcode,
  decodeIbPacket,
  decodeSaMad,
  encodeIbPacket,
  encodeSaMad,
  GSI_QKEY,
  MadMethod,
  PKey,
  RmppFlag,
  type SaMad,
  type SaMadFields,
  saTableRecords,
} from "@verbena/ib";
import type { AttachedHca } from "../src/attach/attach-host.js";
import type { FabricPort } from "../src/fabric/port.js";
import type { Simulation } from "../src/process/simulation.js";
import { RmppReceiver } from "../src/sa/rmpp-receiver.js";
import type { ManualServices } from "./manual-services.js";

/** A program on a node that asks the SA; answers are there when a call returns, because the test's services run them. */
export class SaClient {
  readonly port: FabricPort;
  readonly hca: AttachedHca;
  /** Messages that came, reassembled. */
  readonly received: Buffer[] = [];
  pkey = PKey.DEFAULT;
  #tid = 1n;
  readonly #transfers = new Map<bigint, RmppReceiver>();

  constructor(
    private readonly simulation: Simulation,
    private readonly services: ManualServices,
    node: string,
    private readonly window = 64,
  ) {
    this.port = simulation.fabric.portNamed(node);
    const hca = simulation.host.hcas().find((one) => one.id === this.port.node.id);
    if (hca === undefined) throw new Error(`${node} is no HCA`);
    this.hca = hca;
    simulation.host.setReceiver(hca, (_port, packet) => {
      this.#receive(decodeIbPacket(packet).payload);
    });
  }

  /** A transaction id that this client has not used. */
  nextTid(): bigint {
    return this.#tid++;
  }

  /** Sends an encoded MAD and gives the answer, or `undefined` if none came without time passing. */
  exchange(mad: Buffer, classVersion = 2): SaMad | undefined {
    mad.writeUInt8(classVersion, 2);
    this.send(mad);
    this.services.run();
    const { tid } = decodeSaMad(mad);
    const answer = this.received.find((message) => decodeSaMad(message).tid === tid);
    return answer === undefined ? undefined : decodeSaMad(answer);
  }

  /** Sends a request and gives the answer, or `undefined` if none came without time passing. */
  request(fields: Omit<SaMadFields, "tid">): SaMad | undefined {
    return this.exchange(encodeSaMad({ ...fields, tid: this.nextTid() }));
  }

  get(attributeId: number, record: Buffer, componentMask: bigint, method: number = MadMethod.GET): SaMad {
    const answer = this.request({ method, attributeId, record, componentMask });
    if (answer === undefined) throw new Error("the SA did not answer");
    return answer;
  }

  /** Records of a table, with the padding between them. */
  table(attributeId: number, record?: Buffer, componentMask?: bigint, smKey?: bigint): Buffer[] {
    const tid = this.#tid++;
    this.send(
      encodeSaMad({
        method: MadMethod.GET_TABLE,
        attributeId,
        tid,
        ...(record === undefined ? {} : { record }),
        ...(componentMask === undefined ? {} : { componentMask }),
        ...(smKey === undefined ? {} : { smKey }),
      }),
    );
    this.services.run();
    const message = this.received.find((one) => decodeSaMad(one).tid === tid);
    if (message === undefined) throw new Error("the SA did not answer");
    return saTableRecords(message);
  }

  /** Puts a MAD for the SA on the wire. */
  send(mad: Buffer): void {
    const packet = encodeIbPacket({
      lrh: { vl: 0, sl: 0, dlid: this.port.smLid, slid: this.port.lid },
      bth: {
        opcode: BthOpcode.UD_SEND_ONLY,
        solicited: false,
        migration: false,
        pkey: this.pkey,
        destQpn: 1,
        ackRequest: false,
        psn: 0,
      },
      deth: { qkey: GSI_QKEY, srcQpn: 1 },
      payload: mad,
    });
    this.simulation.host.inject(this.hca, this.port.number, packet);
  }

  #receive(mad: Buffer): void {
    const { tid, rmpp } = decodeSaMad(mad);
    if ((rmpp.flags & RmppFlag.ACTIVE) === 0) {
      this.received.push(Buffer.from(mad));
      return;
    }
    const transfer = this.#transfers.get(tid) ?? new RmppReceiver(this.window);
    this.#transfers.set(tid, transfer);
    const { reply, message } = transfer.receive(mad);
    if (reply !== undefined) this.send(reply);
    if (message !== undefined) this.received.push(message);
  }
}

import {
  BthOpcode,
  decodeIbPacket,
  decodePortInfo,
  decodeSmp,
  encodeIbPacket,
  encodePortInfo,
  encodeSmp,
  Lid,
  MadMethod,
  MgmtClass,
  PKey,
  type PortInfo,
  SMP_DIRECTION,
  SmAttribute,
  type Smp,
} from "@verbena/ib";
import type { FabricPort } from "../src/fabric/port.js";
import { Simulation } from "../src/process/simulation.js";
import { twoLevel } from "../src/topology/generate.js";
import { ManualServices } from "./manual-services.js";

/** Four hosts on a leaf, four on another, a spine; a program on H1 that manages by directed routes. */
export function startManaged() {
  const services = new ManualServices();
  const simulation = new Simulation(twoLevel({ hosts: 8 }), services, { sm: "opensm" });
  const { fabric, host } = simulation;
  const received: Smp[] = [];
  const events: string[] = [];
  const manager = fabric.portNamed("H1");
  const hca = host.hcas()[0]!;
  host.setReceiver(hca, (_port, packet) => {
    received.push(decodeSmp(decodeIbPacket(packet).payload));
  });
  host.onChange((of, change) => {
    if (change.type === "async-event") events.push(`${of.id} ${change.event}`);
  });
  const wire = (port: FabricPort, mad: Buffer, dlid: number = Lid.PERMISSIVE) => {
    const packet = encodeIbPacket({
      lrh: { vl: 15, sl: 0, dlid: Lid.from(dlid), slid: dlid === Lid.PERMISSIVE ? Lid.PERMISSIVE : port.lid },
      bth: {
        opcode: BthOpcode.UD_SEND_ONLY,
        solicited: false,
        migration: false,
        pkey: PKey.DEFAULT,
        destQpn: 0,
        ackRequest: false,
        psn: 0,
      },
      deth: { qkey: 0, srcQpn: 0 },
      payload: mad,
    });
    host.inject(hca, port.number, packet);
    services.run();
  };
  let tid = 0n;
  const ask = (
    method: number,
    path: readonly number[],
    attributeId: number,
    attributeModifier: number,
    data?: Buffer,
  ) => {
    tid += 1n;
    const mad = encodeSmp({
      mgmtClass: MgmtClass.SUBN_DIRECTED_ROUTE,
      method,
      tid,
      attributeId,
      attributeModifier,
      classSpecific: path.length,
      drSlid: Lid.PERMISSIVE,
      drDlid: Lid.PERMISSIVE,
      initialPath: Buffer.from([0, ...path, ...new Array<number>(63 - path.length).fill(0)]),
      ...(data === undefined ? {} : { data: Buffer.concat([data], 64) }),
    });
    wire(manager, mad);
    const answer = received.findLast((one) => one.tid === tid && one.method === MadMethod.GET_RESP);
    if (answer === undefined) throw new Error("no answer");
    return { status: answer.status & ~SMP_DIRECTION, data: answer.data };
  };
  const set = (path: readonly number[], attributeId: number, modifier: number, data: Buffer) =>
    ask(MadMethod.SET, path, attributeId, modifier, data);
  const get = (path: readonly number[], attributeId: number, modifier = 0) =>
    ask(MadMethod.GET, path, attributeId, modifier);
  /** Reads PortInfo, changes members and writes it, as a subnet manager does. */
  const change = (path: readonly number[], modifier: number, fields: Partial<PortInfo>) => {
    const before = decodePortInfo(get(path, SmAttribute.PORT_INFO, modifier).data);
    const info = encodePortInfo({ ...before, portState: 0, portPhysicalState: 0, ...fields });
    return set(path, SmAttribute.PORT_INFO, modifier, info);
  };
  return { services, simulation, fabric, received, events, manager, wire, set, get, change };
}

/** By port 2 of the first leaf to H2; of H1 itself. */
export const TO_H2 = [1, 2];
export const SELF: readonly number[] = [];
export const LEAF = [1];

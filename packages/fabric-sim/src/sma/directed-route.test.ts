import {
  BthOpcode,
  decodeIbPacket,
  decodeNodeDescription,
  decodeNodeInfo,
  decodePortInfo,
  decodeSmp,
  encodeIbPacket,
  encodeSmp,
  Lid,
  MadMethod,
  MadStatus,
  MgmtClass,
  PKey,
  PortState,
  SMP_DIRECTION,
  SmAttribute,
  type Smp,
  smpHops,
} from "@verbena/ib";
import { ManualServices } from "../../test/manual-services.js";
import { Simulation } from "../process/simulation.js";
import { twoLevel } from "../topology/generate.js";

function start() {
  const services = new ManualServices();
  const simulation = new Simulation(twoLevel({ hosts: 8 }), services);
  const received = new Map<string, Smp[]>();
  for (const hca of simulation.host.hcas()) {
    simulation.host.setReceiver(hca, (_port, packet) => {
      received.set(hca.id, [...(received.get(hca.id) ?? []), decodeSmp(decodeIbPacket(packet).payload)]);
    });
  }
  const send = (from: string, mad: Buffer, dlid: Lid = Lid.PERMISSIVE) => {
    const port = simulation.fabric.portNamed(from);
    const hca = simulation.host.hcas().find((one) => one.id === port.node.id)!;
    const packet = encodeIbPacket({
      lrh: { vl: 15, sl: 0, dlid, slid: dlid === Lid.PERMISSIVE ? Lid.PERMISSIVE : port.lid },
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
    simulation.host.inject(hca, 1, packet);
    services.run();
    return received.get(from)?.at(-1);
  };
  const directed = (
    path: readonly number[],
    attributeId: number,
    attributeModifier = 0,
    method: number = MadMethod.GET,
  ) =>
    encodeSmp({
      mgmtClass: MgmtClass.SUBN_DIRECTED_ROUTE,
      method,
      tid: 7n,
      attributeId,
      attributeModifier,
      classSpecific: path.length,
      drSlid: Lid.PERMISSIVE,
      drDlid: Lid.PERMISSIVE,
      initialPath: Buffer.from([0, ...path, ...new Array<number>(63 - path.length).fill(0)]),
    });
  return { services, simulation, received, send, directed };
}

describe("directed-route requests", () => {
  it("are answered by the node at the end of their way, which notes the ports back", () => {
    const { send, directed } = start();
    // H1 by port 1 to L1, by 5 to S1, by 2 to L2, by 4 to H8.
    const answer = send("H1", directed([1, 5, 2, 4], SmAttribute.NODE_DESCRIPTION))!;
    expect(decodeNodeDescription(answer.data)).toBe("node8 HCA-1");
    expect([answer.method, answer.status, answer.tid]).toEqual([MadMethod.GET_RESP, SMP_DIRECTION, 7n]);
    expect(smpHops(answer)).toEqual({ pointer: 0, count: 4 });
    expect([...answer.returnPath.subarray(1, 5)]).toEqual([1, 1, 5, 1]);
  });

  it("of no hops are answered by the own node", () => {
    const { send, directed } = start();
    const info = decodeNodeInfo(send("H3", directed([], SmAttribute.NODE_INFO))!.data);
    expect(info).toMatchObject({ nodeGuid: 0x0002_c903_0010_0020n, localPortNum: 1, numPorts: 1, nodeType: 1 });
  });

  it("find the port they came in by in NodeInfo and PortInfo of a switch", () => {
    const { send, directed } = start();
    expect(decodeNodeInfo(send("H3", directed([1], SmAttribute.NODE_INFO))!.data)).toMatchObject({
      localPortNum: 3,
      nodeType: 2,
    });
    const own = decodePortInfo(send("H3", directed([1], SmAttribute.PORT_INFO, 0))!.data);
    expect(own).toMatchObject({ localPortNum: 3, lid: 2, portState: PortState.ACTIVE });
    expect(decodePortInfo(send("H3", directed([1], SmAttribute.PORT_INFO, 5))!.data)).toMatchObject({
      lid: 0,
      portState: PortState.ACTIVE,
    });
    expect(send("H3", directed([1], SmAttribute.PORT_INFO, 9))?.status).toBe(
      SMP_DIRECTION | MadStatus.INVALID_ATTRIBUTE_VALUE,
    );
  });

  it.each([
    ["through a host", [1, 2, 1]],
    ["by a port without a cable", [1, 8]],
    ["by port 0", [1, 0]],
    ["by another port of the own host", [2]],
  ])("%s are dropped", (_name, path) => {
    const { send, directed } = start();
    expect(send("H1", directed(path, SmAttribute.NODE_INFO))).toBeUndefined();
  });

  it("pass ports that the manager has not brought up", () => {
    const { services, simulation, send, directed } = start();
    const uplink = simulation.fabric.portNamed("H1");
    simulation.fabric.setLink(uplink, false);
    services.run();
    simulation.fabric.setLink(uplink, true);
    expect(uplink.state).toBe(PortState.INIT);
    expect(decodeNodeDescription(send("H1", directed([1], SmAttribute.NODE_DESCRIPTION))!.data)).toBe("leaf1");
  });

  it("with malformed headers are dropped", () => {
    const { send, directed } = start();
    for (const [offset, value] of [
      [6, 3],
      [7, 200],
      [32, 0],
      [34, 0],
    ] as const) {
      const mad = directed([1], SmAttribute.NODE_INFO);
      mad.writeUInt8(value, offset);
      expect(send("H1", mad)).toBeUndefined();
    }
  });

  it("for SMInfo go to a program, whose answer finds its way back", () => {
    const { received, send, directed } = start();
    send("H1", directed([1, 2], SmAttribute.SM_INFO));
    const [request] = received.get("H2")!;
    expect([request!.method, smpHops(request!).pointer]).toEqual([MadMethod.GET, 3]);
    const reply = encodeSmp({ ...request!, method: MadMethod.GET_RESP, status: SMP_DIRECTION });
    send("H2", reply);
    expect(received.get("H1")?.map((one) => [one.method, smpHops(one).pointer])).toEqual([[MadMethod.GET_RESP, 0]]);
  });
});

describe("LID-routed requests", () => {
  const query = (attributeId: number, attributeModifier = 0) =>
    encodeSmp({ method: MadMethod.GET, tid: 3n, attributeId, attributeModifier });

  it("are answered by hosts and switches", () => {
    const { simulation, send } = start();
    const lid = (name: string) => simulation.fabric.portNamed(name).lid;
    expect(decodeNodeDescription(send("H1", query(SmAttribute.NODE_DESCRIPTION), lid("H8"))!.data)).toBe("node8 HCA-1");
    const l2 = simulation.fabric.nodeById("L2")!.ports[0]!.lid;
    expect(decodeNodeDescription(send("H1", query(SmAttribute.NODE_DESCRIPTION), l2)!.data)).toBe("leaf2");
    const block = send("H1", query(SmAttribute.LINEAR_FT), l2)!.data;
    expect([block[0], block[lid("H8")], block[l2]]).toEqual([255, 4, 0]);
    expect(send("H1", query(SmAttribute.SWITCH_INFO), lid("H8"))?.status).toBe(MadStatus.INVALID_ATTRIBUTE_VALUE);
    expect(send("H1", query(0x77), l2)?.status).toBe(MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED);
  });

  it("for SMInfo are answered at the manager's port only", () => {
    const { simulation, received, send } = start();
    expect(send("H2", query(SmAttribute.SM_INFO), simulation.sm.port.lid)?.method).toBe(MadMethod.GET_RESP);
    expect(send("H1", query(SmAttribute.SM_INFO), simulation.fabric.portNamed("H2").lid)).toBeUndefined();
    expect(received.get("H2")).toHaveLength(2);
  });
});

/** Partitions as a subnet manager sets them: what ports accept, and what switch ports let pass. */
import {
  BthOpcode,
  decodePortInfo,
  emptySwitchInfo,
  encodeIbPacket,
  encodeLftBlock,
  encodePKeyBlock,
  encodeSwitchInfo,
  Lid,
  PKey,
  PortState,
  SmAttribute,
} from "@verbena/ib";
import { LEAF, SELF, startManaged, TO_H2 } from "./managed-fabric.js";

describe("partitions", () => {
  /** H1 and H2 are up, with LIDs 1 and 2 and a route; `send` puts a data packet on the wire at H1 and gives how many arrived. */
  function connected() {
    const net = startManaged();
    const { services, simulation, change, set } = net;
    const arrived: Buffer[] = [];
    simulation.host.setReceiver(simulation.host.hcas()[1]!, (_port, packet) => arrived.push(packet));
    change(SELF, 1, { lid: Lid.from(1) });
    change(TO_H2, 1, { lid: Lid.from(2) });
    for (const portState of [PortState.ARMED, PortState.ACTIVE]) {
      for (const [path, number] of [
        [SELF, 1],
        [LEAF, 1],
        [LEAF, 2],
        [TO_H2, 1],
      ] as const)
        change(path, number, { portState });
    }
    set(LEAF, SmAttribute.LINEAR_FT, 0, encodeLftBlock([255, 1, 2]));
    set(LEAF, SmAttribute.SWITCH_INFO, 0, encodeSwitchInfo(emptySwitchInfo({ linearFdbTop: 2 })));
    const send = (pkey: string) => {
      const packet = encodeIbPacket({
        lrh: { vl: 0, sl: 0, dlid: Lid.from(2), slid: Lid.from(1) },
        bth: {
          opcode: BthOpcode.UD_SEND_ONLY,
          solicited: false,
          migration: true,
          pkey: PKey.parse(pkey),
          destQpn: 1,
          ackRequest: false,
          psn: 0,
        },
        deth: { qkey: 0x8001_0000, srcQpn: 1 },
        payload: Buffer.alloc(256),
      });
      simulation.host.inject(simulation.host.hcas()[0]!, 1, packet);
      services.run();
      return arrived.splice(0).length;
    };
    const violations = () => decodePortInfo(net.get(TO_H2, SmAttribute.PORT_INFO, 1).data).pkeyViolations;
    return { ...net, send, violations };
  }

  it.each([
    ["0xffff", "0x7fff", 1],
    ["0x7fff", "0xffff", 1],
    ["0x7fff", "0x7fff", 0],
    ["0x8002", "0xffff", 0],
  ])("a packet with %s to a port with %s arrives %i times, else it is a P_Key violation", (sent, own, count) => {
    const { fabric, set, send, violations } = connected();
    set(TO_H2, SmAttribute.PKEY_TABLE, 0, encodePKeyBlock([PKey.parse(own)]));
    expect([fabric.portNamed("H2").state, send(sent), violations()]).toEqual([PortState.ACTIVE, count, 1 - count]);
  });

  // PartitionEnforcement: 8 inbound, 4 outbound; port 1 of the leaf leads to H1, port 2 to H2.
  it.each([
    ["inbound", 1, 8, "rcvConstraintErrors"],
    ["outbound", 2, 4, "xmitConstraintErrors"],
  ] as const)("a switch port that enforces them %s lets only its own pass", (_direction, number, bits, counter) => {
    const { fabric, set, change, send, violations } = connected();
    set(TO_H2, SmAttribute.PKEY_TABLE, 0, encodePKeyBlock([PKey.parse("0xffff"), PKey.parse("0x8007")]));
    set(LEAF, SmAttribute.PKEY_TABLE, number << 16, encodePKeyBlock([PKey.parse("0x7fff")]));
    const port = fabric.portNamed(`L1[${number}]`);
    expect([send("0x8007"), port.counters[counter]]).toEqual([1, 0]);
    change(LEAF, number, { partitionEnforcement: bits });
    expect([send("0x8007"), port.counters[counter]]).toEqual([0, 1]);
    // The partition counts, not the membership: OpenSM copies the host's table, limited keys too.
    expect([send("0x7fff"), send("0xffff"), port.counters[counter], violations()]).toEqual([1, 1, 1, 0]);
  });
});

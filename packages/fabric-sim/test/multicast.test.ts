import {
  BthOpcode,
  decodeMcMemberRecord,
  emptyMcMemberRecord,
  encodeIbPacket,
  encodeMcMemberRecord,
  encodeSaMad,
  Gid,
  JoinState,
  Lid,
  MadMethod,
  MadStatus,
  Mtu,
  mcMemberMask,
  PKey,
  PortState,
  Rate,
  SaAttribute,
  Selector,
} from "@verbena/ib";
import fc from "fast-check";
import { transit } from "../src/fabric/route.js";
import { Simulation } from "../src/process/simulation.js";
import { fatTree } from "../src/topology/generate.js";
import { ManualServices } from "./manual-services.js";
import { SaClient } from "./sa-client.js";

const QUESTION = encodeSaMad({ method: MadMethod.GET, tid: 0n, attributeId: SaAttribute.CLASS_PORT_INFO }).toString(
  "hex",
);
const MGID = Gid.parse("ff15:4001:ffff:3:400::");

function start(hosts: number, leafs: number, spines: number) {
  const services = new ManualServices();
  const simulation = new Simulation(fatTree({ hosts, leafs, spines }), services);
  const client = (host: number) => new SaClient(simulation, services, `H${host}`);
  const change = (host: number, method: number, joinState: number = JoinState.FULL_MEMBER) => {
    const one = client(host);
    const record = {
      mgid: MGID,
      portGid: one.port.gid,
      qkey: 0x80010000,
      mtuSelector: Selector.EXACTLY,
      mtu: Mtu.MTU_2048,
      tclass: 0,
      pkey: PKey.DEFAULT,
      rateSelector: Selector.EXACTLY,
      rate: Rate.RATE_10,
      sl: 0,
      flowLabel: 0,
      scope: 5,
      joinState,
    };
    return one.get(
      SaAttribute.MC_MEMBER_RECORD,
      encodeMcMemberRecord(emptyMcMemberRecord(record)),
      mcMemberMask(record),
      method,
    );
  };
  return {
    services,
    simulation,
    join: (host: number, state?: number) => change(host, MadMethod.SET, state),
    leave: (host: number) => change(host, MadMethod.DELETE),
  };
}

describe("multicast", () => {
  it("reaches every member but the sender once, whatever the fabric and the members", () => {
    const fabrics = fc.record({
      hosts: fc.integer({ min: 2, max: 16 }),
      leafs: fc.integer({ min: 1, max: 4 }),
      spines: fc.integer({ min: 1, max: 3 }),
      picks: fc.uniqueArray(fc.integer({ min: 1, max: 16 }), { minLength: 1, maxLength: 8 }),
    });
    fc.assert(
      fc.property(fabrics, ({ hosts, leafs, spines, picks }) => {
        const members = picks.filter((host) => host <= hosts);
        const { simulation, join } = start(hosts, leafs, spines);
        for (const host of members) expect(join(host).status).toBe(MadStatus.OK);
        for (const sender of members) {
          const from = simulation.fabric.portNamed(`H${sender}`);
          const names = transit(from, Lid.from(0xc001)).arrivals.map((port) => port.node.id);
          expect(names.sort()).toEqual(
            members
              .filter((host) => host !== sender)
              .map((host) => `H${host}`)
              .sort(),
          );
        }
      }),
      { numRuns: 40 },
    );
  });

  it("follows joins, leaves and broken links", () => {
    const { services, simulation, join, leave } = start(8, 2, 2);
    const receivers = (from: string) =>
      transit(simulation.fabric.portNamed(from), Lid.from(0xc001)).arrivals.map((port) => port.node.id);
    for (const host of [2, 3, 8]) join(host);
    expect(receivers("H2").sort()).toEqual(["H3", "H8"]);
    expect(leave(3).status).toBe(MadStatus.OK);
    expect(receivers("H2")).toEqual(["H8"]);
    for (const port of simulation.fabric.nodeById("S1")!.ports.slice(1)) simulation.fabric.setLink(port, false);
    services.run();
    expect(receivers("H2")).toEqual(["H8"]);
    simulation.fabric.setLink(simulation.fabric.portNamed("H8"), false);
    services.run();
    expect(receivers("H2")).toEqual([]);
    expect(simulation.sm.groups.byMgid(MGID)?.members.size).toBe(1);
    leave(2);
    expect(simulation.sm.groups.byMgid(MGID)).toBeUndefined();
  });

  it("gives one MLID to each group and takes it back", () => {
    const { simulation, join, leave } = start(4, 1, 0);
    const mlid = (answer: ReturnType<typeof join>) => decodeMcMemberRecord(answer.data).mlid;
    expect(mlid(join(2))).toBe(0xc001);
    expect(mlid(join(3))).toBe(0xc001);
    leave(2);
    leave(3);
    expect(simulation.sm.groups.freeMlid(0)).toBe(0xc001);
    expect(mlid(join(3))).toBe(0xc001);
  });

  it("delivers packets to programs on the members", () => {
    const { services, simulation, join } = start(4, 1, 0);
    join(2);
    join(3);
    const got: string[] = [];
    for (const hca of simulation.host.hcas()) simulation.host.setReceiver(hca, () => got.push(hca.id));
    const h2 = simulation.fabric.portNamed("H2");
    const packet = encodeIbPacket({
      lrh: { vl: 0, sl: 0, dlid: Lid.from(0xc001), slid: h2.lid },
      grh: { tclass: 0, flowLabel: 0, hopLimit: 0, sgid: h2.gid, dgid: MGID },
      bth: {
        opcode: BthOpcode.UD_SEND_ONLY,
        solicited: false,
        migration: false,
        pkey: PKey.DEFAULT,
        destQpn: 0xffffff,
        ackRequest: false,
        psn: 0,
      },
      deth: { qkey: 0x80010000, srcQpn: 0x100 },
      payload: Buffer.alloc(256),
    });
    simulation.host.inject(simulation.host.hcas()[1]!, 1, packet);
    services.run();
    expect(got).toEqual(["H3"]);
  });

  it("says where a branch ends that does not arrive, though others do", async () => {
    const { services, simulation, join } = start(8, 2, 1);
    for (const host of [2, 3, 8]) join(host);
    const h8 = simulation.fabric.portNamed("H8");
    h8.state = PortState.INIT;
    const seen: string[] = [];
    simulation.fabric.trace.add((record) => {
      if (record.type === "deliver") seen.push(`deliver ${record.port.name}`);
      if (record.type === "drop") seen.push(`drop ${record.port.name} ${record.reason}`);
    });
    await simulation.injector.send({ from: "H2", to: "0xc001", mad: QUESTION });
    services.run();
    expect(seen.filter((line) => !line.endsWith("no-agent")).sort()).toEqual([
      "deliver H3[1]",
      `drop ${h8.cable?.name} not-active`,
    ]);
    expect(h8.cable?.counters.xmitDiscards).toBe(1);
  });
});

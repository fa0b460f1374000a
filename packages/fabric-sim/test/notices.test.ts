import {
  decodeInformInfo,
  decodeInformInfoRecord,
  decodeNotice,
  decodeSaMad,
  emptyMcMemberRecord,
  encodeInformInfo,
  encodeMcMemberRecord,
  encodeSaMad,
  Gid,
  type InformInfo,
  Lid,
  MadMethod,
  MadStatus,
  mcMemberMask,
  NodeType,
  NoticeType,
  PKey,
  PortCapability,
  SaAttribute,
  TrapNumber,
} from "@verbena/ib";
import { Simulation } from "../src/process/simulation.js";
import { Subscriptions } from "../src/sa/subscriptions.js";
import { twoLevel } from "../src/topology/generate.js";
import { parseTopology } from "../src/topology/parse-topology.js";
import { ManualServices } from "./manual-services.js";
import { SaClient } from "./sa-client.js";

function start(topology = twoLevel({ hosts: 4 })) {
  const services = new ManualServices();
  const simulation = new Simulation(topology, services);
  return { services, simulation, client: (node: string) => new SaClient(simulation, services, node) };
}

const EVERYTHING: InformInfo = {
  gid: Gid.zero,
  lidRangeBegin: Lid.from(0xffff),
  lidRangeEnd: Lid.zero,
  isGeneric: true,
  subscribe: true,
  type: 0xffff,
  trapNumber: 0xffff,
  qpn: 1,
  respTimeValue: 0,
  producerType: 0xff_ffff,
};

function inform(client: SaClient, wanted: Partial<InformInfo> = {}) {
  return client.get(SaAttribute.INFORM_INFO, encodeInformInfo({ ...EVERYTHING, ...wanted }), 0n, MadMethod.SET);
}

/** Reports that came to a client, in order. */
function reports(client: SaClient) {
  return client.received
    .map((mad) => decodeSaMad(mad))
    .filter(({ method }) => method === MadMethod.REPORT)
    .map((mad) => ({ tid: mad.tid, attributeId: mad.attributeId, notice: decodeNotice(mad.data) }));
}

/** What a notice 64 to 67 is about. */
const subject = (details: Uint8Array) => Gid.format(Gid.read(Buffer.from(details), 6));

function acknowledge(client: SaClient, { tid }: { readonly tid: bigint }) {
  client.send(encodeSaMad({ method: MadMethod.REPORT_RESP, tid, attributeId: SaAttribute.NOTICE }));
}

const GROUP = Gid.parse("ff15:4001:ffff:3:400::");

function joinOrLeave(client: SaClient, method: number) {
  const record = {
    mgid: GROUP,
    portGid: client.port.gid,
    qkey: 1,
    tclass: 0,
    pkey: PKey.DEFAULT,
    sl: 0,
    flowLabel: 0,
    joinState: 1,
  };
  return client.get(
    SaAttribute.MC_MEMBER_RECORD,
    encodeMcMemberRecord(emptyMcMemberRecord(record)),
    mcMemberMask(record),
    method,
  );
}

describe("a subscriber", () => {
  it("hears of the traps that links raise, which the manager represses", () => {
    const { services, simulation, client } = start();
    const h2 = client("H2");
    inform(h2);
    expect(simulation.agents.trap(simulation.fabric.portNamed("L1[3]"), 130)).toBe(true);
    services.run();
    const [report] = reports(h2);
    expect(report?.notice).toMatchObject({
      trapNumber: TrapNumber.BUFFER_OVERRUN,
      issuerLid: 2,
      issuerGid: simulation.fabric.nodeById("L1")?.ports[0]?.gid,
    });
    acknowledge(h2, report!);
    services.run();
    expect([services.timers, reports(h2).length]).toEqual([0, 1]);
  });

  it("hears of GIDs that go out of service and come back", () => {
    const { services, simulation, client } = start();
    const h2 = client("H2");
    const answer = inform(h2);
    expect([answer.method, answer.status]).toEqual([MadMethod.GET_RESP, MadStatus.OK]);
    expect(decodeInformInfo(answer.data)).toEqual(EVERYTHING);

    const h4 = simulation.fabric.portNamed("H4");
    for (const isUp of [false, true]) {
      simulation.fabric.setLink(h4, isUp);
      services.run();
    }
    const heard = reports(h2);
    expect(heard.map(({ notice }) => [notice.trapNumber, subject(notice.details)])).toEqual([
      [65, Gid.format(h4.gid)],
      [64, Gid.format(h4.gid)],
    ]);
    expect(heard[0]).toMatchObject({
      attributeId: SaAttribute.NOTICE,
      notice: {
        isGeneric: true,
        type: NoticeType.SUBNET_MANAGEMENT,
        producerType: 4,
        issuerLid: simulation.sm.port.lid,
        issuerGid: simulation.sm.port.gid,
      },
    });
  });

  it("hears of groups that are made and end", () => {
    const { client } = start();
    const [h2, h3, h4] = [client("H2"), client("H3"), client("H4")];
    inform(h2, { trapNumber: 66 });
    inform(h2, { trapNumber: 67 });
    for (const one of [h3, h4]) joinOrLeave(one, MadMethod.SET);
    for (const one of [h3, h4]) joinOrLeave(one, MadMethod.DELETE);
    expect(reports(h2).map(({ notice }) => [notice.trapNumber, subject(notice.details)])).toEqual([
      [66, Gid.format(GROUP)],
      [67, Gid.format(GROUP)],
    ]);
  });

  it("hears of new descriptions and capabilities", () => {
    const { services, simulation, client } = start();
    const h2 = client("H2");
    inform(h2, { type: NoticeType.INFORMATIONAL, producerType: NodeType.CHANNEL_ADAPTER });
    const h3 = simulation.fabric.portNamed("H3");
    h3.node.description = "renamed";
    simulation.fabric.events.emit({ type: "state", port: h3 });
    const hca = simulation.host.hcas().find(({ id }) => id === "H3")!;
    simulation.host.setIsSm(hca, 1, true);
    services.run();
    const details = reports(h2).map(({ notice }) => {
      expect([notice.trapNumber, notice.issuerLid, notice.issuerGid]).toEqual([144, h3.lid, h3.gid]);
      const bytes = Buffer.from(notice.details);
      return [
        bytes.readUInt16BE(2),
        bytes.readUInt8(5),
        bytes.readUInt32BE(6) & PortCapability.IS_SM,
        bytes.readUInt16BE(10),
      ];
    });
    expect(details).toEqual([
      [h3.lid, 1, 0, 1],
      [h3.lid, 0, PortCapability.IS_SM, 0],
    ]);
  });

  it("is told four times, 200 ms apart, unless it acknowledges", () => {
    const { services, simulation, client } = start();
    const [h2, h3] = [client("H2"), client("H3")];
    inform(h2);
    inform(h3);
    simulation.fabric.setLink(simulation.fabric.portNamed("H4"), false);
    services.run();
    // Somebody else's acknowledgement does not count.
    acknowledge(h3, reports(h2)[0]!);
    services.advance(199);
    expect([reports(h2).length, reports(h3).length]).toEqual([1, 1]);
    services.advance(1);
    expect([reports(h2).length, reports(h3).length]).toEqual([2, 2]);
    expect(new Set(reports(h2).map(({ tid }) => tid)).size).toBe(1);
    acknowledge(h2, reports(h2)[0]!);
    services.advance(10_000);
    expect([reports(h2).length, reports(h3).length]).toEqual([2, 4]);
    expect(simulation.sa.reports.counters).toEqual({ sent: 2, acknowledged: 1, unanswered: 1 });
    expect(services.timers).toBe(0);
  });

  it("on the manager's own node hears too", () => {
    const { services, simulation, client } = start();
    const h1 = client("H1");
    inform(h1);
    simulation.fabric.setLink(simulation.fabric.portNamed("H4"), false);
    services.run();
    acknowledge(h1, reports(h1)[0]!);
    services.advance(10_000);
    expect(reports(h1)).toHaveLength(1);
    expect(simulation.sa.reports.counters.acknowledged).toBe(1);
  });

  it("hears of what it asked for only: by GID, LIDs and kind", () => {
    const { services, simulation, client } = start();
    const h2 = client("H2");
    const sm = simulation.sm.port;
    const h3 = simulation.fabric.portNamed("H3");
    const heardWith = (wanted: Partial<InformInfo>) => {
      expect(inform(h2, wanted).status).toBe(MadStatus.OK);
      const before = reports(h2).length;
      for (const isUp of [false, true]) {
        simulation.fabric.setLink(simulation.fabric.portNamed("H4"), isUp);
        services.run();
      }
      expect(inform(h2, { ...wanted, subscribe: false }).status).toBe(MadStatus.OK);
      return reports(h2)
        .slice(before)
        .map(({ notice }) => notice.trapNumber);
    };
    expect(heardWith({ gid: sm.gid })).toEqual([65, 64]);
    expect(heardWith({ gid: h3.gid })).toEqual([]);
    expect(heardWith({ lidRangeBegin: sm.lid })).toEqual([65, 64]);
    expect(heardWith({ lidRangeBegin: h3.lid, lidRangeEnd: h3.lid })).toEqual([]);
    expect(heardWith({ trapNumber: 64 })).toEqual([64]);
    expect(heardWith({ isGeneric: false })).toEqual([]);
    expect(heardWith({ producerType: NodeType.SWITCH })).toEqual([]);
    expect(heardWith({ type: NoticeType.URGENT })).toEqual([]);
  });

  it("hears nothing of partitions it is not in", () => {
    const { services, simulation, client } = start(
      parseTopology(
        'Switch 4 "S"\n[1] "H1"\n[2] "H2"\n[3] "H3"\n\npkeys=0xffff,0x8001\nHca 1 "H1"\n[1] "S"[1]\n\nHca 1 "H2"\n[1] "S"[2]\n\npkeys=0x8001\nHca 1 "H3"\n[1] "S"[3]\n',
      ),
    );
    const h2 = client("H2");
    const h3 = simulation.fabric.portNamed("H3");
    expect(inform(h2, { gid: h3.gid }).status).toBe(MadStatus.SA_REQ_INVALID);
    inform(h2);
    simulation.fabric.setLink(h3, false);
    services.run();
    expect(reports(h2)).toEqual([]);
    expect(h2.table(SaAttribute.INFORM_INFO_RECORD)).toHaveLength(1);
  });
});

describe("subscriptions", () => {
  it("are listed, once each, until they end", () => {
    const { client } = start();
    const [h2, h3] = [client("H2"), client("H3")];
    for (const one of [h2, h2, h3]) inform(one);
    inform(h2, { trapNumber: 64 });
    const listed = h3.table(SaAttribute.INFORM_INFO_RECORD).map((record) => {
      const { subscriberGid, subscriberEnum, informInfo } = decodeInformInfoRecord(record);
      return [subscriberGid, subscriberEnum, informInfo.trapNumber, informInfo.qpn];
    });
    expect(listed).toEqual([
      [h2.port.gid, 0, 64, 1],
      [h3.port.gid, 0, 0xffff, 1],
      [h2.port.gid, 0, 0xffff, 1],
    ]);
    expect(inform(h2, { subscribe: false }).status).toBe(MadStatus.OK);
    const gone = inform(h2, { subscribe: false });
    expect(gone.status).toBe(MadStatus.SA_REQ_INVALID);
    expect(h3.table(SaAttribute.INFORM_INFO_RECORD)).toHaveLength(2);
  });

  it("are refused, with the subscribe bit cleared, for ports that do not exist", () => {
    const { client } = start();
    const h2 = client("H2");
    for (const wanted of [{ gid: Gid.parse("fe80::1") }, { lidRangeBegin: Lid.from(1), lidRangeEnd: Lid.from(999) }]) {
      const answer = inform(h2, wanted);
      expect([answer.status, decodeInformInfo(answer.data).subscribe]).toEqual([MadStatus.SA_REQ_INVALID, false]);
    }
    const odd = encodeInformInfo(EVERYTHING);
    odd.writeUInt8(2, 23);
    expect(h2.get(SaAttribute.INFORM_INFO, odd, 0n, MadMethod.SET).status).toBe(MadStatus.SA_REQ_INVALID);
    expect(h2.get(SaAttribute.INFORM_INFO, odd, 0n).status).toBe(MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED);
  });

  it("are forgotten when another manager takes over", () => {
    const { services, simulation, client } = start();
    const h2 = client("H2");
    inform(h2);
    simulation.sm.reregister();
    simulation.fabric.setLink(simulation.fabric.portNamed("H4"), false);
    services.run();
    expect(reports(h2)).toEqual([]);
    expect(h2.table(SaAttribute.INFORM_INFO_RECORD)).toEqual([]);
  });

  it("have a limit, at which the same one may still be renewed", () => {
    const subscriptions = new Subscriptions(2);
    const one = (lid: number) => ({
      subscriberGid: Gid.zero,
      address: { lid: Lid.from(lid), qpn: 1, pkey: PKey.DEFAULT, sl: 0 },
      info: EVERYTHING,
    });
    expect([1, 2, 3, 2].map((lid) => subscriptions.add(one(lid)))).toEqual([true, true, false, true]);
  });
});

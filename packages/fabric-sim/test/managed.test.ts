/** Agents as a subnet manager meets them: what Set changes, which events programs get, which traps are sent. */
import {
  decodeLftBlock,
  decodeMftBlock,
  decodeNotice,
  decodePKeyBlock,
  decodePortInfo,
  decodeSwitchInfo,
  emptyPortInfo,
  encodeLftBlock,
  encodeMftBlock,
  encodeNotice,
  encodePKeyBlock,
  encodePortInfo,
  encodeSmp,
  encodeSwitchInfo,
  Gid,
  Guid,
  Lid,
  MadMethod,
  MadStatus,
  PKey,
  PortCapability,
  type PortInfo,
  PortPhysicalState,
  PortState,
  SmAttribute,
  type Smp,
  TrapNumber,
} from "@verbena/ib";
import { transit } from "../src/fabric/route.js";
import { Simulation } from "../src/process/simulation.js";
import { twoLevel } from "../src/topology/generate.js";
import { formatLinkRate } from "../src/topology/link-speed.js";
import { LEAF, SELF, startManaged, TO_H2 } from "./managed-fabric.js";
import { ManualServices } from "./manual-services.js";

const OK = 0;
const INVALID = MadStatus.INVALID_ATTRIBUTE_VALUE;
describe("a fabric without a manager", () => {
  it("has links in INIT, no LIDs and no routes", () => {
    const { fabric, get } = startManaged();
    const states = fabric.nodes.flatMap((node) => node.ports).filter((port) => port.cable !== undefined);
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set([PortState.INIT]));
    expect(new Set(fabric.nodes.flatMap((node) => node.endPorts).map(({ lid, smLid }) => lid + smLid))).toEqual(
      new Set([0]),
    );
    expect(new Set(decodeLftBlock(get(LEAF, SmAttribute.LINEAR_FT).data))).toEqual(new Set([255]));
    expect(decodeSwitchInfo(get(LEAF, SmAttribute.SWITCH_INFO).data).linearFdbTop).toBe(0);
  });

  it("refuses the options of the built-in one", () => {
    const options = { sm: "opensm", lmc: 1 } as const;
    expect(() => new Simulation(twoLevel({ hosts: 2 }), new ManualServices(), options)).toThrow(/option lmc/);
  });
});

describe("Set of PortInfo", () => {
  it("gives LIDs, and tells programs as a driver does", () => {
    const { fabric, events, change } = startManaged();
    const fields = {
      lid: Lid.from(8),
      lmc: 2,
      masterSmLid: Lid.from(1),
      masterSmSl: 3,
      subnetTimeout: 17,
      clientReregister: true,
    };
    const { status, data } = change(TO_H2, 1, fields);
    expect(status).toBe(OK);
    expect(decodePortInfo(data)).toMatchObject(fields);
    const { lid, lmc, smLid, smSl, subnetTimeout } = fabric.portNamed("H2");
    expect([lid, lmc, smLid, smSl, subnetTimeout]).toEqual([8, 2, 1, 3, 17]);
    expect(events).toEqual(["H2 sm-change", "H2 client-reregister", "H2 lid-change"]);
  });

  it("shows ClientReregister in its own answer only", () => {
    const { change, get } = startManaged();
    change(TO_H2, 1, { lid: Lid.from(2), clientReregister: true });
    expect(decodePortInfo(get(TO_H2, SmAttribute.PORT_INFO, 1).data).clientReregister).toBe(false);
  });

  it("brings a port from INIT by ARMED to ACTIVE, not otherwise", () => {
    const { fabric, events, change } = startManaged();
    const state = () => fabric.portNamed("H2").state;
    const lid = Lid.from(2);
    expect(change(TO_H2, 1, { lid, portState: PortState.ACTIVE }).status).toBe(INVALID);
    expect(fabric.portNamed("H2").lid).toBe(0);
    expect([change(TO_H2, 1, { lid, portState: PortState.ARMED }).status, state()]).toEqual([OK, PortState.ARMED]);
    expect([change(TO_H2, 1, { portState: PortState.ACTIVE }).status, state()]).toEqual([OK, PortState.ACTIVE]);
    expect([change(TO_H2, 1, { portState: PortState.ARMED }).status, state()]).toEqual([INVALID, PortState.ACTIVE]);
    expect([change(TO_H2, 1, { portState: PortState.INIT }).status, state()]).toEqual([INVALID, PortState.ACTIVE]);
    expect(events).toEqual(["H2 lid-change", "H2 port-active"]);
  });

  it.each<[string, Partial<PortInfo>]>([
    ["LID 0", { lid: Lid.zero }],
    ["a multicast LID", { lid: Lid.from(0xc000) }],
    ["a LID that its LMC does not allow", { lid: Lid.from(6), lmc: 2 }],
    ["an MTU above its own", { lid: Lid.from(6), neighborMtu: 7 as PortInfo["neighborMtu"] }],
  ])("refuses %s and changes nothing", (_name, fields) => {
    const { fabric, events, change } = startManaged();
    expect(change(TO_H2, 1, { masterSmLid: Lid.from(1), ...fields }).status).toBe(INVALID);
    expect([fabric.portNamed("H2").smLid, events]).toEqual([0, []]);
  });

  it("of a port that is not there is refused", () => {
    const { set } = startManaged();
    expect(set(LEAF, SmAttribute.PORT_INFO, 99, encodePortInfo(emptyPortInfo())).status).toBe(INVALID);
  });

  it("trains a link anew, or keeps it down until it is enabled", () => {
    const { services, fabric, change } = startManaged();
    const port = fabric.nodeById("L1")!.port(2)!;
    expect(change(LEAF, 2, { portState: PortState.DOWN, portPhysicalState: PortPhysicalState.DISABLED }).status).toBe(
      OK,
    );
    services.run();
    expect([port.state, port.physState]).toEqual([PortState.DOWN, PortPhysicalState.DISABLED]);
    change(LEAF, 2, { portState: PortState.DOWN, portPhysicalState: PortPhysicalState.POLLING });
    services.run();
    expect([port.state, port.counters.linkDowned]).toEqual([PortState.INIT, 1]);
  });

  it("gives another subnet prefix", () => {
    const { fabric, events, change } = startManaged();
    change(TO_H2, 1, { lid: Lid.from(2), gidPrefix: 0xfec0_0000_0000_0001n });
    expect(Gid.format(fabric.portNamed("H2").gid)).toBe("fec0::1:2:c903:10:11");
    expect(events).toEqual(["H2 gid-change", "H2 lid-change"]);
  });
});

describe("Set of tables", () => {
  it("P_Keys: the block asked for, one event for a change, none without", () => {
    const { fabric, events, set, get } = startManaged();
    const keys = [0xffff, 0x8001, 0, 0x0002].map((one) => PKey.from(one));
    expect(set(TO_H2, SmAttribute.PKEY_TABLE, 0, encodePKeyBlock(keys)).status).toBe(OK);
    set(TO_H2, SmAttribute.PKEY_TABLE, 0, encodePKeyBlock(keys));
    set(TO_H2, SmAttribute.PKEY_TABLE, 1, encodePKeyBlock([PKey.from(0x8033)]));
    expect(events).toEqual(["H2 pkey-change", "H2 pkey-change"]);
    expect(fabric.portNamed("H2").pkeys).toHaveLength(33);
    expect(decodePKeyBlock(get(TO_H2, SmAttribute.PKEY_TABLE, 0).data).slice(0, 5)).toEqual([...keys, 0]);
    expect(decodePKeyBlock(get(TO_H2, SmAttribute.PKEY_TABLE, 1).data)[0]).toBe(0x8033);
    expect(set(TO_H2, SmAttribute.PKEY_TABLE, 2, encodePKeyBlock([])).status).toBe(INVALID);
  });

  it("P_Keys of a switch port belong to that port", () => {
    const { fabric, set } = startManaged();
    set(LEAF, SmAttribute.PKEY_TABLE, 3 << 16, encodePKeyBlock([PKey.from(0x7fff)]));
    const ports = fabric.nodeById("L1")!.ports;
    expect([ports[3]!.pkeys, ports[2]!.pkeys]).toEqual([[0x7fff], [0xffff]]);
  });

  it("GUIDs: entry 0 stays, others become GIDs", () => {
    const { fabric, simulation, events, set, get } = startManaged();
    const block = Buffer.alloc(64);
    Guid.write(block, 0, Guid.parse("0x1111111111111111"));
    Guid.write(block, 16, Guid.parse("0x0002c90300aa0001"));
    expect(set(TO_H2, SmAttribute.GUID_INFO, 0, block).status).toBe(OK);
    const { data } = get(TO_H2, SmAttribute.GUID_INFO, 0);
    expect([Guid.read(data, 0), Guid.read(data, 16)]).toEqual([fabric.portNamed("H2").guid, 0x0002_c903_00aa_0001n]);
    expect(simulation.host.hcas()[1]!.ports[0]!.gids.map(Gid.format)).toEqual([
      "fe80::2:c903:10:11",
      "::",
      "fe80::2:c903:aa:1",
    ]);
    expect(events).toEqual(["H2 gid-change"]);
  });

  it("linear routes count up to LinearFDBTop, and packets wait for links that are active", () => {
    const { fabric, set, get, change } = startManaged();
    const [h1, h2] = [fabric.portNamed("H1"), fabric.portNamed("H2")];
    change(SELF, 1, { lid: Lid.from(1) });
    change(TO_H2, 1, { lid: Lid.from(2) });
    set(LEAF, SmAttribute.LINEAR_FT, 0, encodeLftBlock([255, 1, 2]));
    expect(decodeLftBlock(get(LEAF, SmAttribute.LINEAR_FT).data).slice(0, 4)).toEqual(
      Uint8Array.from([255, 1, 2, 255]),
    );
    expect(transit(h1, h2.lid, "management")).toMatchObject({ arrivals: [], dropped: "no-route" });
    const info = decodeSwitchInfo(get(LEAF, SmAttribute.SWITCH_INFO).data);
    set(LEAF, SmAttribute.SWITCH_INFO, 0, encodeSwitchInfo({ ...info, linearFdbTop: 2, lifeTimeValue: 12 }));
    expect(decodeSwitchInfo(get(LEAF, SmAttribute.SWITCH_INFO).data)).toMatchObject({
      linearFdbTop: 2,
      lifeTimeValue: 12,
    });
    expect(transit(h1, h2.lid, "management").arrivals).toEqual([h2]);
    expect(transit(h1, h2.lid)).toMatchObject({ arrivals: [], dropped: "not-active" });
    for (const portState of [PortState.ARMED, PortState.ACTIVE]) {
      for (const [path, number] of [
        [SELF, 1],
        [LEAF, 1],
        [LEAF, 2],
        [TO_H2, 1],
      ] as const)
        change(path, number, { portState });
    }
    expect(transit(h1, h2.lid).arrivals).toEqual([h2]);
  });

  it("multicast masks: sixteen ports at a time", () => {
    const { fabric, set, get } = startManaged();
    set(LEAF, SmAttribute.MULTICAST_FT, 0, encodeMftBlock([0b110, 0b10]));
    set(LEAF, SmAttribute.MULTICAST_FT, 0, encodeMftBlock([0b10110]));
    expect(decodeMftBlock(get(LEAF, SmAttribute.MULTICAST_FT).data).slice(0, 2)).toEqual([0b10110, 0]);
    expect(fabric.nodeById("L1")!.tables!.group(0xc000)).toEqual(new Set([1, 2, 4]));
    expect(set(LEAF, SmAttribute.MULTICAST_FT, 0xf000_0000, encodeMftBlock([])).status).toBe(INVALID);
  });

  it("SL to VL and VL arbitration come back, for that port", () => {
    const { set, get } = startManaged();
    const lanes = Buffer.from("0011223344556677", "hex");
    expect(set(LEAF, SmAttribute.SLVL_TABLE, 0x0102, lanes).status).toBe(OK);
    expect(get(LEAF, SmAttribute.SLVL_TABLE, 0x0102).data.subarray(0, 8)).toEqual(lanes);
    expect(get(LEAF, SmAttribute.SLVL_TABLE, 0x0201).data.subarray(0, 2)).toEqual(Buffer.from([0x01, 0x23]));
    const weights = Buffer.from(Uint8Array.from({ length: 64 }, (_, index) => index));
    expect(set(TO_H2, SmAttribute.VL_ARBITRATION, 0x1_0000, weights).status).toBe(OK);
    expect(get(TO_H2, SmAttribute.VL_ARBITRATION, 0x1_0000).data).toEqual(weights);
    expect(set(TO_H2, SmAttribute.VL_ARBITRATION, 0, weights).status).toBe(INVALID);
  });

  it.each([
    ["NodeInfo", SmAttribute.NODE_INFO],
    ["NodeDescription", SmAttribute.NODE_DESCRIPTION],
    ["RandomForwardingTable", SmAttribute.RANDOM_FT],
  ])("%s cannot be set", (_name, attributeId) => {
    const { set } = startManaged();
    expect(set(LEAF, attributeId, 0, Buffer.alloc(64)).status).toBe(MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED);
  });
});

describe("traps", () => {
  /** H1, H2 and their leaf have LIDs and know H1 as their manager; the leaf's routes lead there. */
  function managed() {
    const net = startManaged();
    const masterSmLid = Lid.from(1);
    net.change(SELF, 1, { lid: Lid.from(1), masterSmLid });
    net.change(TO_H2, 1, { lid: Lid.from(2), masterSmLid });
    net.change(LEAF, 0, { lid: Lid.from(3), masterSmLid });
    net.set(LEAF, SmAttribute.LINEAR_FT, 0, encodeLftBlock([255, 1, 2, 0]));
    const info = decodeSwitchInfo(net.get(LEAF, SmAttribute.SWITCH_INFO).data);
    net.set(LEAF, SmAttribute.SWITCH_INFO, 0, encodeSwitchInfo({ ...info, linearFdbTop: 3, portStateChange: true }));
    const traps = () => net.received.filter(({ method }) => method === MadMethod.TRAP);
    const repress = ({ tid, data }: Smp, dlid: number) => {
      const mad = encodeSmp({ method: MadMethod.TRAP_REPRESS, tid, attributeId: SmAttribute.NOTICE, data });
      net.wire(net.manager, mad, dlid);
    };
    const isChanged = () => decodeSwitchInfo(net.get(LEAF, SmAttribute.SWITCH_INFO).data).portStateChange;
    return { ...net, traps, repress, isChanged };
  }

  const noticeOf = ({ data }: Smp) => decodeNotice(Buffer.concat([data, Buffer.alloc(16)]));

  it("128 tells of a link, again until it is repressed; PortStateChange stays until it is written", () => {
    const { services, fabric, traps, repress, isChanged, get, set } = managed();
    expect(isChanged()).toBe(false);
    fabric.setLink(fabric.portNamed("H3"), false);
    services.run();
    const [trap] = traps();
    const { details, ...notice } = noticeOf(trap!);
    expect(notice).toMatchObject({ isGeneric: true, type: 1, producerType: 2, trapNumber: 128, issuerLid: 3 });
    expect(Buffer.from(details.subarray(0, 2)).readUInt16BE()).toBe(3);
    // SubnetTimeOut 18 is 1.07 s.
    services.advance(3500);
    expect(traps().map(({ tid }) => tid)).toEqual([trap!.tid, trap!.tid, trap!.tid, trap!.tid]);
    repress({ ...trap!, tid: trap!.tid + 1n }, 3);
    services.advance(1100);
    expect(traps()).toHaveLength(5);
    repress(trap!, 3);
    services.advance(5000);
    expect([traps().length, services.timers, isChanged()]).toEqual([5, 0, true]);
    const info = decodeSwitchInfo(get(LEAF, SmAttribute.SWITCH_INFO).data);
    set(LEAF, SmAttribute.SWITCH_INFO, 0, encodeSwitchInfo(info));
    expect(isChanged()).toBe(false);
  });

  it("144 tells that a program has become a subnet manager", () => {
    const { services, simulation, traps } = managed();
    simulation.host.setIsSm(simulation.host.hcas()[1]!, 1, true);
    simulation.host.setIsSm(simulation.host.hcas()[2]!, 1, true);
    services.run();
    expect(traps()).toHaveLength(1);
    const notice = noticeOf(traps()[0]!);
    expect(notice).toMatchObject({ type: 4, producerType: 1, trapNumber: TrapNumber.LOCAL_CHANGES, issuerLid: 2 });
    const details = Buffer.from(notice.details);
    expect([details.readUInt16BE(2), details.readUInt32BE(6) & PortCapability.IS_SM]).toEqual([
      2,
      PortCapability.IS_SM,
    ]);
    simulation.close();
    expect(services.timers).toBe(0);
  });

  it.each([129, 130, 131] as const)(
    "%i of a link names its port, and comes no faster than the SubnetTimeOut",
    (number) => {
      const { services, simulation, fabric, traps, repress } = managed();
      expect(simulation.agents.trap(fabric.portNamed("L1[5]"), number)).toBe(true);
      services.run();
      const [trap] = traps();
      const { details, ...notice } = noticeOf(trap!);
      expect(notice).toMatchObject({ isGeneric: true, type: 1, producerType: 2, trapNumber: number, issuerLid: 3 });
      // ntc_129_131: two reserved bytes, LID, port number.
      expect([...details.subarray(0, 5)]).toEqual([0, 0, 0, 3, 5]);
      repress(trap!, 3);
      simulation.agents.trap(fabric.portNamed("L1[5]"), number);
      simulation.agents.trap(fabric.portNamed("L1[5]"), number);
      services.advance(1000);
      expect(traps()).toHaveLength(1);
      services.advance(100);
      expect(traps()).toHaveLength(2);
      repress(traps()[1]!, 3);
      services.advance(5000);
      expect(traps()).toHaveLength(2);
      // Another port has a trap of its own.
      simulation.agents.trap(fabric.portNamed("L1[2]"), number);
      services.run();
      expect(traps()).toHaveLength(3);
      simulation.close();
    },
  );

  it("of a node that knows no manager are not sent", () => {
    const { simulation, fabric } = managed();
    expect(simulation.agents.trap(fabric.portNamed("H5"), 129)).toBe(false);
  });

  it("are the bytes that an SM reads", () => {
    const { services, fabric, traps } = managed();
    fabric.setLink(fabric.portNamed("H4"), false);
    services.run();
    const notice = encodeNotice(noticeOf(traps()[0]!)).subarray(0, 12).toString("hex");
    // Generic urgent notice of a switch, trap 128, issuer LID 3, count 0, switch LID 3.
    expect(notice).toBe("810000020080000300000003");
  });
});

describe("enabled widths and speeds", () => {
  // Both ends support 1x, 2x and 4x, SDR to EDR. Columns: LinkWidthEnabled, LinkSpeedEnabled, LinkSpeedExtEnabled; 0 is no change.
  it.each([
    [0, 0, 0, "4xEDR"],
    [1, 0, 0, "1xEDR"],
    [255, 15, 31, "4xEDR"],
    [0, 0, 1, "4xFDR"],
    [0, 1, 30, "4xSDR"],
    [3, 3, 30, "4xDDR"],
  ])("%i, %i and %i at the leaf make the link %s once it has trained again", (width, speed, extended, rate) => {
    const { services, fabric, change, get } = startManaged();
    const port = fabric.portNamed("L1[2]");
    const { status } = change(LEAF, 2, {
      linkWidthEnabled: width,
      linkSpeedEnabled: speed,
      linkSpeedExtEnabled: extended,
    });
    expect([status, formatLinkRate(port.link)]).toEqual([OK, "4xEDR"]);
    change(LEAF, 2, { portState: PortState.DOWN, portPhysicalState: PortPhysicalState.POLLING });
    services.run();
    expect([formatLinkRate(port.link), formatLinkRate(fabric.portNamed("H2").link)]).toEqual([rate, rate]);
    const info = decodePortInfo(get(LEAF, SmAttribute.PORT_INFO, 2).data);
    expect([info.linkWidthSupported, info.linkSpeedSupported, info.linkSpeedExtSupported]).toEqual([19, 7, 3]);
    expect(info.linkWidthActive).toBe(port.link.width);
  });

  it("that leave nothing are refused", () => {
    const { change } = startManaged();
    expect(change(LEAF, 2, { linkWidthEnabled: 8 }).status).toBe(INVALID);
  });
});

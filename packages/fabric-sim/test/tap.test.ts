import {
  decodeIbPacket,
  decodeSmp,
  encodeSaMad,
  encodeSmp,
  Lid,
  MadMethod,
  MgmtClass,
  PKey,
  SaAttribute,
  SmAttribute,
  smpHops,
} from "@verbena/ib";
import type { TraceRecord } from "../src/fabric/events.js";
import { Simulation } from "../src/process/simulation.js";
import { twoLevel } from "../src/topology/generate.js";
import { gsiPacket, smpPacket } from "./mad-packets.js";
import { ManualServices } from "./manual-services.js";

/** H1 and H2 are on L1, H5 on L2; S1 is between. The SA is at H1. */
function start() {
  const services = new ManualServices();
  const simulation = new Simulation(twoLevel({ hosts: 8 }), services);
  services.run();
  const records: TraceRecord[] = [];
  simulation.fabric.trace.add((record) => records.push({ ...record, packet: Buffer.from(record.packet) }));
  const port = (name: string) => simulation.fabric.portNamed(name);
  const send = (from: string, dlid: Lid, mad: Buffer, pkey: PKey = PKey.DEFAULT) => {
    const lids = { slid: port(from).lid, dlid };
    const packet = mad[1] === MgmtClass.SUBN_ADM ? gsiPacket(mad, lids, pkey) : smpPacket(mad, lids);
    simulation.host.sendFrom(port(from), packet);
    services.run();
    return records.splice(0).map(lineOf);
  };
  return { simulation, services, port, send, records };
}

function lineOf(record: TraceRecord): string {
  if (record.type === "forward") return `forward ${record.hop.from.name} ${record.hop.to.name}`;
  return `${record.type} ${record.port.name}${record.type === "drop" ? ` ${record.reason}` : ""}`;
}

const QUESTION = encodeSaMad({ method: MadMethod.GET, tid: 1n, attributeId: SaAttribute.CLASS_PORT_INFO });

describe("the tap in the fabric's delivery path", () => {
  it("shows a question and its answer, link by link", () => {
    const { send, port } = start();
    expect(send("H5", port("H1").lid, QUESTION)).toEqual([
      "send H5[1]",
      "forward H5[1] L2[1]",
      "forward L2[5] S1[2]",
      "forward S1[1] L1[5]",
      "forward L1[1] H1[1]",
      "deliver H1[1]",
      "send H1[1]",
      "forward H1[1] L1[1]",
      "forward L1[5] S1[1]",
      "forward S1[2] L2[5]",
      "forward L2[1] H5[1]",
      "deliver H5[1]",
      "drop H5[1] no-agent",
    ]);
  });

  it("shows a lost packet on the links before the one that lost it", () => {
    const { send, port, simulation } = start();
    const loss = { lossPercent: 100, delayMs: 0, jitterMs: 0, duplicatePercent: 0, reorderPercent: 0 };
    simulation.fabric.faults.set(port("S1[1]"), loss);
    expect(send("H5", port("H1").lid, QUESTION)).toEqual([
      "send H5[1]",
      "forward H5[1] L2[1]",
      "forward L2[5] S1[2]",
      "drop S1[1] fault",
    ]);
  });

  it.each([
    ["no switch has a route", "H2", 999, PKey.DEFAULT, "drop L1[2] no-route"],
    ["the partition is another", "H2", 1, PKey.from(0x8001), "drop H1[1] pkey"],
  ])("says why: %s", (_name, from, dlid, pkey, last) => {
    const { send } = start();
    expect(send(from, Lid.from(dlid), QUESTION, pkey).at(-1)).toBe(last);
  });

  it("says why: the port is not active", () => {
    const { send, port, simulation, services } = start();
    simulation.fabric.setLink(port("H2"), false);
    services.run();
    expect(send("H2", Lid.from(1), QUESTION)).toEqual(["drop H2[1] not-active"]);
  });

  it("shows a directed route as it is on every link, as the same packet", () => {
    const { send, records, port } = start();
    const initialPath = Buffer.from([0, 1, 5]);
    const smp = (count: number) =>
      encodeSmp({
        mgmtClass: MgmtClass.SUBN_DIRECTED_ROUTE,
        method: MadMethod.GET,
        tid: 9n,
        attributeId: SmAttribute.NODE_INFO,
        classSpecific: count,
        drSlid: Lid.PERMISSIVE,
        drDlid: Lid.PERMISSIVE,
        initialPath,
      });
    const pointers: number[] = [];
    const origins = new Set<Buffer>();
    records.push = (record) => {
      pointers.push(smpHops(decodeSmp(decodeIbPacket(record.packet).payload)).pointer);
      origins.add(record.origin ?? record.packet);
      return Array.prototype.push.call(records, record);
    };
    expect(send("H2", Lid.PERMISSIVE, smp(2))).toEqual([
      "send H2[1]",
      "forward H2[1] L1[2]",
      "forward L1[5] S1[1]",
      "deliver S1[1]",
      "send S1[1]",
      "forward S1[1] L1[5]",
      "forward L1[2] H2[1]",
      "deliver H2[1]",
      "drop H2[1] no-agent",
    ]);
    expect(pointers.slice(0, 8)).toEqual([0, 1, 2, 3, 3, 2, 1, 0]);
    initialPath[2] = 7;
    expect(send("H2", Lid.PERMISSIVE, smp(2)).at(-1)).toBe("drop L1[2] wrong-port");
    expect(port("L1[5]").isLinkUp).toBe(true);
  });
});

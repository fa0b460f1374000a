import {
  decodeNodeRecord,
  decodePathRecord,
  emptyPathRecord,
  encodePathRecord,
  MadStatus,
  pathRecordMask,
  SaAttribute,
} from "@verbena/ib";
import { ManualServices } from "../../test/manual-services.js";
import { SaClient } from "../../test/sa-client.js";
import { twoLevel } from "../topology/generate.js";
import { Simulation } from "./simulation.js";

describe("Simulation", () => {
  it("answers a PathRecord Get and a NodeRecord GetTable", () => {
    const services = new ManualServices();
    const simulation = new Simulation(twoLevel({ hosts: 8 }), services);
    const client = new SaClient(simulation, services, "H2");
    const h8 = simulation.fabric.portNamed("H8");
    const wanted = { dgid: h8.gid, sgid: client.port.gid, numbPath: 1, reversible: true };
    const path = client.get(SaAttribute.PATH_RECORD, encodePathRecord(emptyPathRecord(wanted)), pathRecordMask(wanted));
    expect(path.status).toBe(MadStatus.OK);
    expect(decodePathRecord(path.data)).toMatchObject({ slid: client.port.lid, dlid: h8.lid, packetLifeTime: 18 });
    const nodes = client.table(SaAttribute.NODE_RECORD).map((record) => decodeNodeRecord(record).nodeDescription);
    expect(nodes).toHaveLength(11);
    expect(nodes).toContain("node8 HCA-1");
  });
});

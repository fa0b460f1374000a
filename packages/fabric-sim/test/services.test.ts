import {
  SERVICE_RECORD_COMPONENTS as C,
  decodeServiceRecord,
  encodeServiceRecord,
  Gid,
  MadMethod,
  MadStatus,
  PKey,
  SaAttribute,
  type ServiceRecord,
} from "@verbena/ib";
import { Simulation } from "../src/process/simulation.js";
import { ServiceRegistry } from "../src/sa/service-registry.js";
import { twoLevel } from "../src/topology/generate.js";
import { parseTopology } from "../src/topology/parse-topology.js";
import { ManualServices } from "./manual-services.js";
import { SaClient } from "./sa-client.js";

function start(topology = twoLevel({ hosts: 4 })) {
  const services = new ManualServices();
  const simulation = new Simulation(topology, services);
  return { services, simulation, client: (node: string) => new SaClient(simulation, services, node) };
}

const KEY = Buffer.from("00112233445566778899aabbccddeeff", "hex");

function record(client: SaClient, fields: Partial<ServiceRecord> = {}): Buffer {
  return encodeServiceRecord({
    serviceId: 0x1000_0000_0000_0001n,
    serviceGid: client.port.gid,
    servicePkey: PKey.DEFAULT,
    serviceLease: 30,
    serviceKey: KEY,
    serviceName: "storage",
    serviceData: Buffer.from([7, ...Array<number>(63).fill(0)]),
    ...fields,
  });
}

const ALL = C.serviceId | C.serviceGid | C.servicePkey | C.serviceLease | C.serviceKey | C.serviceName;

function set(client: SaClient, bytes: Buffer, mask = ALL) {
  return client.get(SaAttribute.SERVICE_RECORD, bytes, mask, MadMethod.SET);
}

describe("ServiceRecord", () => {
  it("is registered, found by each of its fields, and taken back", () => {
    const { client } = start();
    const [h2, h3] = [client("H2"), client("H3")];
    const bytes = record(h2);
    const answer = set(h2, bytes);
    expect([answer.method, answer.status]).toEqual([MadMethod.GET_RESP, MadStatus.OK]);
    expect(decodeServiceRecord(answer.data)).toMatchObject({ serviceLease: 30, serviceName: "storage" });

    for (const mask of [
      C.serviceId,
      C.serviceGid,
      C.servicePkey,
      C.serviceName,
      1n << 7n,
      1n << 23n,
      1n << 31n,
      1n << 35n,
    ]) {
      expect(h3.table(SaAttribute.SERVICE_RECORD, bytes, mask)).toHaveLength(1);
    }
    const other = record(h3, {
      serviceId: 2n,
      serviceName: "other",
      servicePkey: PKey.from(0x8001),
      serviceData: Buffer.alloc(64, 9),
    });
    for (const mask of [
      C.serviceId,
      C.serviceGid,
      C.servicePkey,
      C.serviceName,
      1n << 7n,
      1n << 23n,
      1n << 31n,
      1n << 35n,
    ]) {
      expect(h3.table(SaAttribute.SERVICE_RECORD, other, mask)).toHaveLength(0);
    }
    expect(h3.get(SaAttribute.SERVICE_RECORD, other, C.serviceName).status).toBe(MadStatus.SA_NO_RECORDS);

    expect(h2.get(SaAttribute.SERVICE_RECORD, bytes, ALL, MadMethod.DELETE).status).toBe(MadStatus.OK);
    expect(h2.get(SaAttribute.SERVICE_RECORD, bytes, ALL, MadMethod.DELETE).status).toBe(MadStatus.SA_NO_RECORDS);
    expect(h3.table(SaAttribute.SERVICE_RECORD)).toEqual([]);
  });

  it("shows its key to trusted requests only", () => {
    const { client } = start();
    const h2 = client("H2");
    set(h2, record(h2));
    const key = (bytes: Buffer | undefined) => Buffer.from(decodeServiceRecord(bytes!).serviceKey);
    expect(key(h2.table(SaAttribute.SERVICE_RECORD)[0])).toEqual(Buffer.alloc(16));
    expect(key(h2.table(SaAttribute.SERVICE_RECORD, undefined, undefined, 1n)[0])).toEqual(KEY);
  });

  it("ends with its lease; a renewal begins it anew, without a lease it never ends", () => {
    const { services, client } = start();
    const h2 = client("H2");
    const names = () => h2.table(SaAttribute.SERVICE_RECORD).map((one) => decodeServiceRecord(one).serviceName);
    set(h2, record(h2));
    set(h2, record(h2, { serviceId: 2n, serviceName: "endless" }), ALL & ~C.serviceLease);
    expect(names()).toEqual(["endless", "storage"]);
    services.advance(29_000);
    set(h2, record(h2));
    services.advance(29_999);
    expect(names()).toEqual(["endless", "storage"]);
    services.advance(1);
    expect(names()).toEqual(["endless"]);
    services.advance(1e12);
    expect(names()).toEqual(["endless"]);
  });

  it("may have a lease longer than a timer", () => {
    const { services, client } = start();
    const h2 = client("H2");
    set(h2, record(h2, { serviceLease: 3_000_000 }));
    services.advance(2_999_999_999);
    expect(h2.table(SaAttribute.SERVICE_RECORD)).toHaveLength(1);
    services.advance(1);
    expect(h2.table(SaAttribute.SERVICE_RECORD)).toHaveLength(0);
  });

  it("needs a service id, a GID, and a partition that both ports are in", () => {
    const { client } = start();
    const h2 = client("H2");
    const status = (fields: Partial<ServiceRecord>, mask = ALL) => set(h2, record(h2, fields), mask).status;
    expect(status({}, ALL & ~C.serviceId)).toBe(MadStatus.SA_REQ_INVALID);
    expect(status({}, ALL & ~C.serviceGid)).toBe(MadStatus.SA_REQ_INVALID);
    expect(status({ servicePkey: PKey.from(0x8123) })).toBe(MadStatus.SA_REQ_INVALID);
    expect(status({ serviceGid: Gid.parse("fe80::1") })).toBe(MadStatus.SA_REQ_INVALID);
    expect(
      decodeServiceRecord(set(h2, record(h2, { servicePkey: PKey.zero }), ALL & ~C.servicePkey).data).servicePkey,
    ).toBe(PKey.DEFAULT);
    expect(h2.request({ method: MadMethod.GET_TRACE_TABLE, attributeId: SaAttribute.SERVICE_RECORD })?.status).toBe(
      MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED,
    );
  });

  it("of a partition is shown to its members", () => {
    const { client } = start(
      parseTopology(
        'Switch 4 "S"\n[1] "H1"\n[2] "H2"\n[3] "H3"\nHca 1 "H1"\n[1] "S"[1]\n\npkeys=0xffff,0x8001\nHca 1 "H2"\n[1] "S"[2]\n\nHca 1 "H3"\n[1] "S"[3]\n',
      ),
    );
    const [h2, h3] = [client("H2"), client("H3")];
    expect(set(h2, record(h2, { servicePkey: PKey.from(0x8001) })).status).toBe(MadStatus.OK);
    expect(h2.table(SaAttribute.SERVICE_RECORD)).toHaveLength(1);
    expect(h3.table(SaAttribute.SERVICE_RECORD)).toHaveLength(0);
  });

  it("is forgotten when another manager takes over", () => {
    const { services, simulation, client } = start();
    const h2 = client("H2");
    set(h2, record(h2));
    simulation.sm.reregister();
    services.run();
    expect(h2.table(SaAttribute.SERVICE_RECORD)).toEqual([]);
    expect(services.timers).toBe(0);
  });
});

describe("the registry", () => {
  it("refuses one more than its limit, and renews at the limit", () => {
    const { client } = start();
    const registry = new ServiceRegistry(new ManualServices().clock, 2);
    const bytes = (serviceId: bigint) => record(client("H2"), { serviceId });
    expect([1n, 2n, 3n, 2n].map((serviceId) => registry.register(bytes(serviceId)))).toEqual([true, true, false, true]);
    registry.clear();
    expect(registry.register(bytes(3n))).toBe(true);
  });
});

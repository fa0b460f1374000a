import { Destination } from "@verbena/core/sdk";
import { decodeServiceRecord, encodeServiceRecord, Gid, IpAddress, PKey, type ServiceRecord } from "@verbena/ib";
import {
  decodeRegistration,
  encodeRegistration,
  newestFirst,
  type RegistryRecord,
  registryPkey,
} from "./registry-record.js";
import { serviceIdOf, serviceNameOf } from "./service-name.js";

const GID = Gid.parse("fe80::2:c903:10:11");
const NAME = "verbena:ip:192.0.2.7";
const RECORD: RegistryRecord = {
  serviceName: NAME,
  gid: GID,
  pkey: PKey.DEFAULT,
  leaseSeconds: 300,
  claim: 3,
  instance: 0x0102_0304_0506_0708n,
};

describe("the name of a registration", () => {
  it.each([
    [Destination.ip(IpAddress.parse("192.0.2.7")), "verbena:ip:192.0.2.7"],
    [Destination.ip(IpAddress.parse("2001:DB8:0:0::7")), "verbena:ip:2001:db8::7"],
    [Destination.name("Node7"), "verbena:name:node7"],
    [Destination.name("n".repeat(50)), `verbena:name:${"n".repeat(50)}`],
  ])("of %j is %s", (destination, name) => {
    expect(serviceNameOf(destination)).toBe(name);
  });

  it("does not exist where 63 bytes are not enough, and for GIDs and LIDs", () => {
    expect(serviceNameOf(Destination.name("n".repeat(51)))).toBeUndefined();
    expect(serviceNameOf(Destination.name("ü".repeat(26)))).toBeUndefined();
    expect(serviceNameOf(Destination.gid(GID))).toBeUndefined();
  });

  it("gives the ServiceID: 0x025652 and 40 bits of its SHA-256", () => {
    // printf %s verbena:ip:192.0.2.7 | sha256sum
    expect(serviceIdOf(NAME).toString(16)).toBe("25652a557973a7c");
    expect(serviceIdOf("verbena:ip:192.0.2.8")).not.toBe(serviceIdOf(NAME));
  });
});

describe("the record of a registration", () => {
  it("has version, claim and instance in its data, each where it is documented", () => {
    const { serviceLease, servicePkey, serviceGid, serviceKey, serviceData } = decodeServiceRecord(
      encodeRegistration(RECORD, RECORD),
    );
    expect({ serviceLease, servicePkey, serviceGid }).toEqual({
      serviceLease: 300,
      servicePkey: 0xffff,
      serviceGid: GID,
    });
    expect(Buffer.from(serviceKey).toString("hex")).toBe("0".repeat(32));
    expect(Buffer.from(serviceData).toString("hex")).toBe(
      ["5652424e01", "00".repeat(27), "00000003", "00".repeat(12), "0102030405060708", "00".repeat(8)].join(""),
    );
  });

  it("comes back as it was", () => {
    expect(decodeRegistration(encodeRegistration(RECORD, RECORD), RECORD)).toEqual({ record: RECORD });
  });

  const wrong = (change: Partial<ServiceRecord>): Buffer =>
    encodeServiceRecord({ ...decodeServiceRecord(encodeRegistration(RECORD, RECORD)), ...change });
  const data = (at: number, byte: number): Partial<ServiceRecord> => {
    const serviceData = Buffer.from(decodeServiceRecord(encodeRegistration(RECORD, RECORD)).serviceData);
    serviceData[at] = byte;
    return { serviceData };
  };

  it.each([
    ["another name", wrong({ serviceName: "verbena:ip:192.0.2.8" })],
    ["another name", wrong({ serviceName: "" })],
    ["another name", wrong({ serviceId: 7n })],
    ["another partition", wrong({ servicePkey: PKey.from(0x8002) })],
    ["no data of ours", wrong({ serviceData: Buffer.alloc(64) })],
    ["another version", wrong(data(4, 2))],
    ["no port's GID", wrong({ serviceGid: Gid.zero })],
    ["no port's GID", wrong({ serviceGid: Gid.parse("ff12::1") })],
    ["no port's GID", wrong({ serviceGid: Gid.parse("fe80::") })],
    ["no lease of ours", wrong({ serviceLease: 0 })],
    ["no lease of ours", wrong({ serviceLease: 0xffff_ffff })],
    ["short record", Buffer.alloc(175)],
  ])("is ignored: %s", (problem, bytes) => {
    expect(decodeRegistration(bytes, RECORD)).toEqual({ problem });
  });

  it("throws for no bytes whatever", () => {
    for (let seed = 1; seed < 200; seed++) {
      const bytes = Buffer.from(Array.from({ length: 176 }, (_, index) => (seed * 7919 + index * index * 31) & 0xff));
      expect(decodeRegistration(bytes, RECORD)).toHaveProperty("problem");
    }
  });

  it("is registered in the partition, not under one member's kind of membership", () => {
    expect(registryPkey(PKey.from(0x7fff))).toBe(0xffff);
    expect(registryPkey(PKey.from(0x8002))).toBe(0x8002);
  });

  it("of the highest claim comes first, then of the lower GID", () => {
    const other = { ...RECORD, gid: Gid.parse("fe80::1") };
    const newer = { ...RECORD, claim: 4 };
    expect([RECORD, other, newer].sort(newestFirst)).toEqual([newer, other, RECORD]);
  });
});

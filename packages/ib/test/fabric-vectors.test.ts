import {
  acmAddressOf,
  acmMgid,
  ComponentMask,
  decodeAcmMad,
  decodeMcMemberRecord,
  decodePathRecord,
  decodeSaMad,
  encodeAcmMad,
  encodeMcMemberRecord,
  encodePathRecord,
  encodeSaMad,
  Gid,
  JoinState,
  MC_MEMBER_COMPONENTS,
  type McMemberRecord,
  Mtu,
  PATH_RECORD_COMPONENTS,
  PKey,
  parseAcmMgid,
  pathRecordMask,
  pathRecordMaskOfNonZero,
  Rate,
  SaAttribute,
} from "../src/index.js";
import { coded } from "./coded.js";
import { index, vector } from "./vectors.js";

const acm = index.fabric.filter(({ method }) => method === undefined).map(({ id }) => id);
const sa = index.fabric.filter(({ method }) => method !== undefined);

describe("recorded ACM messages", () => {
  it.each(acm)("%s decodes and encodes to the same bytes", (id) => {
    const bytes = vector("fabric", `${id}.hex`);
    expect(encodeAcmMad(decodeAcmMad(bytes))).toEqual(bytes);
  });

  it("are found behind the GRH of a receive buffer", () => {
    const mad = vector("fabric", "acm-request-name.hex");
    expect(decodeAcmMad(Buffer.concat([Buffer.alloc(40, 0xff), mad]), 40)).toEqual(decodeAcmMad(mad));
  });

  it("say who looks for whom", () => {
    const mad = decodeAcmMad(vector("fabric", "acm-request-ip4.hex"));
    expect(mad).toMatchObject({
      mgmtClass: 0x2c,
      method: 1,
      control: 1,
      destType: 2,
      destLength: 64,
      srcType: 2,
      srcLength: 64,
    });
    expect(acmAddressOf({ type: mad.destType, info: mad.destAddress })).toEqual({
      type: "ip4",
      address: Buffer.from([192, 0, 2, 2]),
    });
    expect(acmAddressOf({ type: mad.srcType, info: mad.srcAddress })).toEqual({
      type: "ip4",
      address: Buffer.from([192, 0, 2, 1]),
    });
    expect(mad.gids).toEqual([acmMgid({ pkey: PKey.DEFAULT, rate: Rate.RATE_10, mtu: Mtu.MTU_2048 })]);
  });

  it("list groups lowest preference first, and the answer names one", () => {
    const low = acmMgid({ pkey: PKey.from(0x7fff), rate: Rate.RATE_2_5, mtu: Mtu.MTU_1024 });
    const high = acmMgid({ pkey: PKey.DEFAULT, rate: Rate.RATE_10, mtu: Mtu.MTU_2048 });
    expect(Gid.format(low)).toBe("ff15:4001:ffff:2:300::");
    expect(decodeAcmMad(vector("fabric", "acm-request-two-groups.hex")).gids).toEqual([low, high]);
    const answer = decodeAcmMad(vector("fabric", "acm-response-two-groups.hex"));
    expect(answer).toMatchObject({ method: 0x81, status: 0, gids: [high], destLength: 0 });
  });

  it("never have more GIDs than fit", () => {
    const bytes = vector("fabric", "acm-request-ip4.hex");
    bytes[20] = 10;
    expect(decodeAcmMad(bytes).gids).toHaveLength(6);
    const gids = Array.from({ length: 7 }, () => Gid.zero);
    expect(() => encodeAcmMad({ tid: 1n, gids })).toThrow(coded("VERBENA_IB_VALUE"));
  });
});

describe("recorded SA messages", () => {
  it.each(sa.map(({ id }) => id))("%s decodes and encodes to the same bytes", (id) => {
    const bytes = vector("fabric", `${id}.mad.hex`);
    const mad = decodeSaMad(bytes);
    expect(encodeSaMad({ ...mad, record: mad.data }).subarray(0, bytes.length)).toEqual(bytes);
    const record = encodeRecordAgain(mad.attributeId, mad.data);
    expect(record.equals(mad.data.subarray(0, record.length))).toBe(true);
  });

  it.each(sa)("$id has the listed method, attribute and component mask", ({ id, method, attr, comp_mask: mask }) => {
    const mad = decodeSaMad(vector("fabric", `${id}.mad.hex`));
    expect([mad.method, mad.attributeId, mad.componentMask]).toEqual([Number(method), Number(attr), BigInt(mask ?? 0)]);
    expect(mad).toMatchObject({ baseVersion: 1, mgmtClass: 3, classVersion: 2, attributeModifier: 0, smKey: 0n });
  });

  it("a join, written from its fields, is the recorded one", () => {
    const fields = {
      mgid: acmMgid({ pkey: PKey.DEFAULT, rate: Rate.RATE_10, mtu: Mtu.MTU_2048 }),
      portGid: Gid.parse("fe80::10:1"),
      qkey: 0x8001_0000,
      mtuSelector: 2,
      mtu: Mtu.MTU_2048,
      tclass: 0,
      pkey: PKey.DEFAULT,
      rateSelector: 2,
      rate: Rate.RATE_10,
      sl: 0,
      flowLabel: 0,
      scope: 5,
      joinState: JoinState.FULL_MEMBER,
    } as const satisfies Partial<McMemberRecord>;
    const mask = ComponentMask.from(MC_MEMBER_COMPONENTS, fields);
    expect(mask).toBe(0x1b3f7n);
    const recorded = decodeSaMad(vector("fabric", "sa-join-request.mad.hex"));
    const record = encodeMcMemberRecord({ ...decodeMcMemberRecord(Buffer.alloc(52)), ...fields });
    const mad = encodeSaMad({
      method: 2,
      tid: recorded.tid,
      attributeId: SaAttribute.MC_MEMBER_RECORD,
      componentMask: mask,
      record,
    });
    expect(mad).toEqual(vector("fabric", "sa-join-request.mad.hex"));
  });

  it("path queries have the mask of their fields", () => {
    const { dgid, sgid, slid, dlid, pkey } = decodePathRecord(
      decodeSaMad(vector("fabric", "sa-path-by-lid.mad.hex")).data,
    );
    expect(pathRecordMask({ sgid, dlid, slid, pkey })).toBe(0x2038n);
    expect(pathRecordMask({ dgid, sgid, slid, pkey })).toBe(0x202cn);
    expect(pathRecordMask({ dgid, sgid, pkey })).toBe(0x200cn);
    expect(pathRecordMask({ serviceId: 1n, preference: 1 })).toBe(3n);
    expect(ComponentMask.fields(PATH_RECORD_COMPONENTS, 0x280cn)).toEqual(["dgid", "sgid", "reversible", "pkey"]);
    expect(ComponentMask.has(PATH_RECORD_COMPONENTS, 1n, "serviceId")).toBe(false);
    const path = decodePathRecord(decodeSaMad(vector("fabric", "sa-path-response.mad.hex")).data);
    // What a client sends to verify this answer: all that is set, the number of paths left out.
    expect(pathRecordMaskOfNonZero({ ...path, numbPath: 1 })).toBe(0x3f283cn);
  });

  it("a failure repeats the request's record", () => {
    const mad = decodeSaMad(vector("fabric", "sa-path-response-no-records.mad.hex"));
    expect(mad.status).toBe(0x0300);
    expect(decodePathRecord(mad.data).numbPath).toBe(0);
  });
});

function encodeRecordAgain(attributeId: number, data: Buffer): Buffer {
  return attributeId === SaAttribute.PATH_RECORD
    ? encodePathRecord(decodePathRecord(data))
    : encodeMcMemberRecord(decodeMcMemberRecord(data));
}

describe("the MGID of a group of the protocol", () => {
  it("is taken apart into what it was made of; any other GID is none", () => {
    const parts = { tos: 7, rate: Rate.RATE_2_5, mtu: Mtu.MTU_1024, sl: 3 };
    expect(parseAcmMgid(acmMgid({ pkey: PKey.from(0x7001), ...parts }))).toEqual({ pkey: 0xf001, ...parts });
    expect(parseAcmMgid(Gid.parse("ff15:4001:ffff:3:400::"))).toEqual({ pkey: 0xffff, tos: 0, rate: 3, mtu: 4, sl: 0 });
    for (const text of [
      "ff12:601b:ffff::1:ff00:1",
      "ff15:4001:7fff:3:400::",
      "ff15:4001:ffff:3:410::",
      "ff15:4001:ffff:3:400::1",
      "fe80::1",
    ]) {
      expect(parseAcmMgid(Gid.parse(text))).toBeUndefined();
    }
  });
});

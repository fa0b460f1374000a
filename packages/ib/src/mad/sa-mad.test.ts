import { coded } from "../../test/coded.js";
import { hex } from "../../test/vectors.js";
import { MadMethod, SaAttribute } from "./constants.js";
import { RmppFlag, RmppType } from "./rmpp-header.js";
import { decodeSaMad, encodeSaMad, encodeSaTable, saTableRecords } from "./sa-mad.js";

const query = { method: MadMethod.GET_TABLE_RESP, tid: 0x1_0000_0002n, attributeId: SaAttribute.NODE_RECORD };

describe("encodeSaMad", () => {
  it("puts every field in its place", () => {
    const mad = encodeSaMad({
      method: MadMethod.GET_TABLE,
      tid: 0x0102_0304_0506_0708n,
      attributeId: SaAttribute.PATH_RECORD,
      attributeModifier: 0x0a0b_0c0d,
      componentMask: 0x11n,
      status: 0x0300,
      classSpecific: 0x1234,
      smKey: 0x2021_2223_2425_2627n,
      attributeOffset: 8,
      rmpp: {
        version: 1,
        type: RmppType.DATA,
        respTime: 31,
        flags: RmppFlag.ACTIVE | RmppFlag.FIRST,
        status: 0,
        segment: 1,
        payloadLengthOrNewWindow: 0x100,
      },
      record: Buffer.from([0xee]),
    });
    expect(mad).toEqual(
      hex(`01 03 02 12 0300 1234 0102030405060708 0035 0000 0a0b0c0d 01 01 fb 00 00000001 00000100
           2021222324252627 0008 0000 0000000000000011 ee 00*199`),
    );
    expect(decodeSaMad(mad)).toMatchObject({
      attributeModifier: 0x0a0b_0c0d,
      rmpp: { respTime: 31, flags: 3, segment: 1 },
    });
  });

  it("takes records of up to 200 bytes", () => {
    expect(encodeSaMad({ ...query, record: Buffer.alloc(200) })).toHaveLength(256);
    expect(() => encodeSaMad({ ...query, record: Buffer.alloc(201) })).toThrow(
      coded("VERBENA_IB_VALUE", "SaMad.record"),
    );
  });
});

describe("decodeSaMad", () => {
  it("refuses another management class and fewer bytes than the headers", () => {
    const mad = encodeSaMad(query);
    expect(decodeSaMad(mad.subarray(0, 56)).data).toHaveLength(0);
    expect(() => decodeSaMad(mad.subarray(0, 55))).toThrow(coded("VERBENA_IB_MALFORMED"));
    mad[1] = 0x81;
    expect(() => decodeSaMad(mad)).toThrow(coded("VERBENA_IB_MALFORMED", "management class 3"));
  });
});

describe("SA tables", () => {
  const records = (count: number, size: number): Buffer[] =>
    Array.from({ length: count }, (_, i) => Buffer.alloc(size, (i % 255) + 1));

  it.each([0, 1, 2, 3000])("of %i records come back padded to eight bytes", (count) => {
    const table = encodeSaTable({ ...query, records: records(count, 108), recordSize: 108 });
    expect(table).toHaveLength(56 + 112 * count);
    expect(decodeSaMad(table)).toMatchObject({ attributeOffset: 14, componentMask: 0n });
    const split = saTableRecords(table);
    expect(split).toHaveLength(count);
    expect(split.map((record) => record.subarray(0, 108))).toEqual(records(count, 108));
  });

  it("of no records announce no offset unless the size is given", () => {
    expect(decodeSaMad(encodeSaTable({ ...query, records: [] })).attributeOffset).toBe(0);
    expect(saTableRecords(encodeSaTable({ ...query, records: [] }))).toEqual([]);
  });

  it("have padding behind the last whole record ignored", () => {
    const table = encodeSaTable({ ...query, records: records(3, 64) });
    expect(saTableRecords(Buffer.concat([table, Buffer.alloc(63)]))).toHaveLength(3);
    expect(saTableRecords(table.subarray(0, table.length - 1))).toHaveLength(2);
  });

  it("of one MAD hold what fits it", () => {
    expect(saTableRecords(encodeSaMad({ ...query, attributeOffset: 8, record: Buffer.alloc(192) }))).toHaveLength(3);
  });

  it("refuse records of different lengths and of too many bytes", () => {
    const mixed = [Buffer.alloc(64), Buffer.alloc(63)];
    expect(() => encodeSaTable({ ...query, records: mixed })).toThrow(coded("VERBENA_IB_VALUE", "SaTable.record"));
    expect(() => encodeSaTable({ ...query, records: [], recordSize: 8 * 0xffff + 1 })).toThrow(
      coded("VERBENA_IB_VALUE"),
    );
  });
});

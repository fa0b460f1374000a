import { coded } from "../../test/coded.js";
import { encodeGuidInfoRecord } from "../record/guid-info-record.js";
import { Guid } from "../value/guid.js";
import { Lid } from "../value/lid.js";
import { PKey } from "../value/pkey.js";
import {
  decodeLftBlock,
  decodePKeyBlock,
  encodeLftBlock,
  encodeMftBlock,
  encodePKeyBlock,
  LFT_NO_PORT,
} from "./tables.js";

const list = <T>(length: number, value: T): T[] => Array.from({ length }, () => value);

describe("table blocks", () => {
  it("have LIDs without a port dropped", () => {
    const block = encodeLftBlock([LFT_NO_PORT, 1, 2]);
    expect(block).toHaveLength(64);
    expect([...decodeLftBlock(block)]).toEqual([255, 1, 2, ...list(61, 255)]);
  });

  it("hold 32 keys, missing ones zero", () => {
    const block = encodePKeyBlock([PKey.DEFAULT, PKey.from(0x8001)]);
    expect(block.subarray(0, 6).toString("hex")).toBe("ffff80010000");
    expect(decodePKeyBlock(block)).toEqual([0xffff, 0x8001, ...list(30, 0)]);
  });

  it("are full at their size and refuse one more", () => {
    const value = coded("VERBENA_IB_VALUE");
    const guids = (count: number) =>
      encodeGuidInfoRecord({ lid: Lid.from(1), blockNum: 0, guids: list(count, Guid.zero) });
    expect(encodeLftBlock(list(64, 1))).toHaveLength(64);
    expect(() => encodeLftBlock(list(65, 1))).toThrow(value);
    expect(encodePKeyBlock(list(32, PKey.DEFAULT))).toHaveLength(64);
    expect(() => encodePKeyBlock(list(33, PKey.DEFAULT))).toThrow(value);
    expect(encodeMftBlock(list(32, 1))).toHaveLength(64);
    expect(() => encodeMftBlock(list(33, 1))).toThrow(value);
    expect(guids(8)).toHaveLength(72);
    expect(() => guids(9)).toThrow(value);
    expect(() => encodeLftBlock([256])).toThrow(value);
    expect(() => encodeMftBlock([0x1_0000])).toThrow(value);
  });
});

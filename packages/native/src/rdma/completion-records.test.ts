import type { CompletionQueue } from "../api/completions.js";
import { CompletionRecords } from "./completion-records.js";

/** A block with one completion (`struct ibv_wc`) that says it carries the immediate data 0x01020304. */
function withImm(opcode: number): CompletionRecords {
  const records = new CompletionRecords({} as CompletionQueue, 1);
  const words = new Uint32Array(records.bytes.buffer);
  words[3] = opcode;
  Buffer.from(records.bytes.buffer).writeUInt32BE(0x0102_0304, 24);
  words[9] = 1 << 1; // IBV_WC_WITH_IMM
  records.length = 1;
  return records;
}

test("immediate data is what a receive brings, with a message (128) or an RDMA write (129)", () => {
  for (const opcode of [128, 129]) {
    const records = withImm(opcode);
    expect([records.imm(0), records.at(0).imm]).toEqual([0x0102_0304, 0x0102_0304]);
  }
});

test("the completion of a send (0) or of an RDMA write (1) has none, whatever its flags say", () => {
  for (const opcode of [0, 1]) {
    const records = withImm(opcode);
    expect([records.imm(0), records.at(0).imm]).toEqual([0, undefined]);
  }
});

test("statuses and opcodes of newer devices arrive as data", () => {
  const records = withImm(200);
  const words = new Uint32Array(records.bytes.buffer);
  words[2] = 99;
  expect([records.statusCode(0), records.opcodeCode(0)]).toEqual([99, 200]);
  expect(records.at(0)).toMatchObject({ status: "unknown(99)", statusCode: 99, opcode: "unknown(200)" });
});

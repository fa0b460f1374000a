import { IpAddress } from "@verbena/ib";
import { HEADER_BYTES, HeaderForm, OP, opOf, pattern, patternProblem } from "./message.js";

const end = (address: string, port: number) => ({ address: IpAddress.parse(address), port });
const form = new HeaderForm(end("10.0.0.1", 4001), end("10.0.0.2", 4002));

describe("the header of a message", () => {
  it("has sequence, addresses, ports, index and op big-endian in 19 bytes, and 0 behind them", () => {
    const message = Buffer.alloc(HEADER_BYTES);
    form.write(message, { sequence: 0x01020304, index: 5, op: OP.ack });
    expect(message.toString("hex")).toBe(`010203040a0000010a0000020fa10fa2000502${"00".repeat(44)}`);
    expect(opOf(message)).toBe(2);
  });

  it("is compared by members", () => {
    const message = Buffer.alloc(HEADER_BYTES);
    form.write(message, { sequence: 7, index: 1, op: OP.request });
    expect(form.problem(message, { sequence: 7, index: 1, op: OP.request })).toBeUndefined();
    expect(form.problem(message, { sequence: 8, index: 0, op: OP.request })).toBe("seq is 7, not 8, index is 1, not 0");
  });
});

describe("the pattern of -v", () => {
  // 11, then 41 * (previous + 3) + (place >> 8), the previous one not cut to a byte.
  it("begins with 11 and goes on as rds-stress has it, shifted by 1 with each 256 bytes", () => {
    expect([...pattern(4)]).toEqual([11, 62, 105, 76]);
    const bytes = pattern(600);
    expect(bytes[256]).toBe((41 * ((bytes[255] ?? 0) + 3) + 1) & 0xff);
    expect(bytes[512]).toBe((41 * ((bytes[511] ?? 0) + 3) + 2) & 0xff);
  });

  it("tells where a payload differs, and in how many bytes", () => {
    const wanted = pattern(300);
    const message = Buffer.concat([Buffer.alloc(HEADER_BYTES), wanted.subarray(0, 200)]);
    expect(patternProblem(message, wanted)).toBeUndefined();
    for (const at of [17, 19]) message[HEADER_BYTES + at] = (message[HEADER_BYTES + at] ?? 0) ^ 1;
    expect(patternProblem(message, wanted)).toBe("the payload is corrupted at offset 17; 2 bytes corrupted");
  });
});

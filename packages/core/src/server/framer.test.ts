import fc from "fast-check";
import { AcmFramer, isRequestLength, MAX_REQUEST_SIZE } from "./framer.js";

/** A RESOLVE request of `records` records; the length of 0x01 is in the byte order of this CPU, as the stock clients send it. */
function resolve(records: number, tid = 0n): Buffer {
  const message = Buffer.alloc(16 + 72 * records);
  message[0] = 1;
  message[1] = 1;
  message.set(new Uint8Array(Uint16Array.of(message.length).buffer), 6);
  message.writeBigUInt64LE(tid, 8);
  return message;
}

/** Any other opcode has its length big-endian. */
function query(opcode: number, length = 16): Buffer {
  const message = Buffer.alloc(length);
  message[0] = 1;
  message[1] = opcode;
  message.writeUInt16BE(length, 6);
  return message;
}

function readAll(framer: AcmFramer): Buffer[] {
  const messages: Buffer[] = [];
  for (let next = framer.next(); next !== undefined; next = framer.next()) messages.push(next);
  return messages;
}

describe("AcmFramer", () => {
  it("gives the same messages whatever the pieces are", () => {
    const kinds = fc.constantFrom(resolve(0), resolve(1), resolve(2), resolve(8), query(2), query(3), query(0x82, 88));
    fc.assert(
      fc.property(
        fc.array(kinds, { maxLength: 12 }),
        fc.array(fc.nat({ max: 900 }), { maxLength: 20 }),
        (sent, cuts) => {
          const stream = Buffer.concat(sent);
          const framer = new AcmFramer();
          const got: Buffer[] = [];
          let at = 0;
          for (const cut of [...cuts, stream.length]) {
            framer.push(stream.subarray(at, at + cut));
            got.push(...readAll(framer));
            at = Math.min(at + cut, stream.length);
          }
          expect(got.map((m) => m.toString("hex"))).toEqual(sent.map((m) => m.toString("hex")));
          expect(framer.heldBytes).toBe(0);
          expect(framer.violation).toBeUndefined();
        },
      ),
    );
  });

  it("allows a header alone and one to eight records", () => {
    const allowed = Array.from({ length: 700 }, (_, n) => n).filter(isRequestLength);
    expect(allowed).toEqual([16, 88, 160, 232, 304, 376, 448, 520, 592]);
    expect(MAX_REQUEST_SIZE).toBe(592);
  });

  it.each([
    ["version", "02", "version"],
    ["opcode 0", "0100", "opcode"],
    ["opcode 4", "0104", "opcode"],
    ["opcode 0x8f", "018f", "opcode"],
    ["RESOLVE with a big-endian length", "0101000000000058", "length"],
    ["PERF with a little-endian length", "0102000000001000", "length"],
    ["0x81 counts as big-endian: its little-endian length is wrong", "0181000000005800", "length"],
    ["15 bytes", "010200000000000f", "length"],
    ["length 0", "0102000000000000", "length"],
    ["89 bytes", "0102000000000059", "length"],
    ["nine records", "0102000000000298", "length"],
  ])("refuses %s as soon as its bytes are there", (_, hex, violation) => {
    const framer = new AcmFramer();
    const bytes = Buffer.from(hex, "hex");
    framer.push(bytes.subarray(0, -1));
    expect(framer.next()).toBeUndefined();
    expect(framer.violation).toBeUndefined();
    framer.push(bytes.subarray(-1));
    expect(framer.next()).toBeUndefined();
    expect(framer.violation).toBe(violation);
    framer.push(query(2));
    expect(framer.next()).toBeUndefined();
  });

  it("does not keep a large piece alive for the rest of a message", () => {
    const framer = new AcmFramer();
    framer.push(Buffer.concat([...Array.from({ length: 700 }, () => resolve(1)), resolve(1).subarray(0, 20)]));
    expect(readAll(framer)).toHaveLength(700);
    expect(framer.heldBytes).toBe(20);
    framer.push(resolve(1).subarray(20));
    expect(framer.next()?.equals(resolve(1))).toBe(true);
  });
});

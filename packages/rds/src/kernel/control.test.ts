import { decodeControl, encodeControl } from "./control.js";

const u64 = (...values: readonly bigint[]) => Buffer.from(BigUint64Array.from(values).buffer);
const u32 = (...values: readonly number[]) => Buffer.from(Uint32Array.from(values).buffer);

test("a timestamp is a struct timeval", () => {
  expect(decodeControl({ level: 1, type: 29, data: u64(1_700_000_000n, 123_456n) })).toEqual({
    type: "timestamp",
    ns: 1_700_000_000_123_456_000n,
  });
});

test("latencies: as many of the three as the socket has asked for", () => {
  const data = Buffer.concat([Buffer.from([2, 0, 2, 0, 0, 0, 0, 0]), u64(10n, 20n, 30n)]);
  expect(decodeControl({ level: 276, type: 11, data })).toEqual({ type: "rx-latency", ns: [10n, 20n] });
});

test("zero-copy completions: up to eight cookies", () => {
  expect(decodeControl({ level: 276, type: 13, data: u32(2, 7, 9, 0, 0, 0, 0, 0, 0) })).toEqual({
    type: "zero-copy-completion",
    cookies: [7, 9],
  });
});

test.each([
  [276, 4, 16],
  [276, 11, 31],
  [276, 13, 8],
  [1, 29, 8],
  [0, 1, 0],
])("level %i type %i of %i bytes stays data", (level, type, size) => {
  const data = Buffer.alloc(size, 1);
  expect(decodeControl({ level, type, data })).toEqual({ type: "unknown", level, code: type, data });
});

test("what is sent is data of any level; the named types are not the program's to send", () => {
  const data = Buffer.from([1]);
  expect(encodeControl([{ type: "unknown", level: 1, code: 2, data }])).toEqual([{ level: 1, type: 2, data }]);
  expect(encodeControl([{ type: "zero-copy-cookie", cookie: 1 }])).toBeUndefined();
});

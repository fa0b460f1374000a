import { NumberRegistry } from "./number-registry.js";
import { NumberKind } from "./protocol.js";

describe("NumberRegistry", () => {
  it("gives each program numbers of its own on an HCA, and the same ones again on another HCA", () => {
    const numbers = new NumberRegistry<string>();
    expect(numbers.reserve(0, NumberKind.QPN, 64, "a")).toBe(64);
    expect(numbers.reserve(0, NumberKind.QPN, 64, "b")).toBe(128);
    expect(numbers.reserve(1, NumberKind.QPN, 64, "c")).toBe(64);
    expect(numbers.reserve(0, NumberKind.KEY_TAG, 1, "a")).toBe(1);
    expect(numbers.ownerOfQpn(0, 127)).toBe("a");
    expect(numbers.ownerOfQpn(0, 128)).toBe("b");
    expect(numbers.ownerOfQpn(1, 127)).toBe("c");
    expect(numbers.ownerOfQpn(0, 192)).toBeUndefined();
    expect(numbers.ownerOfQpn(0, 1)).toBeUndefined();
  });

  it("uses the numbers of a program that has ended last", () => {
    const numbers = new NumberRegistry<string>();
    numbers.reserve(0, NumberKind.KEY_TAG, 1, "a");
    numbers.reserve(0, NumberKind.KEY_TAG, 1, "b");
    numbers.releaseAll("a");
    for (let tag = 3; tag < 4096; tag += 1) expect(numbers.reserve(0, NumberKind.KEY_TAG, 1, "c")).toBe(tag);
    expect(numbers.reserve(0, NumberKind.KEY_TAG, 1, "d")).toBe(1);
    expect(numbers.reserve(0, NumberKind.KEY_TAG, 1, "d")).toBeUndefined();
  });

  it.each([
    [NumberKind.QPN, 0],
    [NumberKind.QPN, 4097],
    [9, 1],
  ])("refuses kind %d, %d numbers", (kind, count) => {
    expect(new NumberRegistry<string>().reserve(0, kind, count, "a")).toBeUndefined();
  });
});

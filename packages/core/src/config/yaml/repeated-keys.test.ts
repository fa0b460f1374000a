import { isMap, isScalar, parseDocument } from "yaml";
import { repeatedKeys } from "./repeated-keys.js";

const parsed = (text: string) => parseDocument(text, { uniqueKeys: false });

describe("repeatedKeys", () => {
  it("finds the second of two equal keys of one section, at any depth", () => {
    const text = "a: { x: 1, y: 2, x: 3 }\nb: [{ c: 1, c: 1 }]\na: 1\n";
    expect(repeatedKeys(parsed(text)).toSorted((one, two) => one - two)).toEqual([
      text.indexOf("x: 3"),
      text.lastIndexOf("c"),
      text.lastIndexOf("a"),
    ]);
    expect(repeatedKeys(parsed("a: { x: 1 }\nb: { x: 1, '1': 2, 1: 3 }\n"))).toEqual([]);
  });

  it("looks at each key a fixed number of times, however many there are", () => {
    const document = parsed(Array.from({ length: 2_000 }, (_, index) => `k${String(index)}: 1\n`).join(""));
    let looks = 0;
    if (!isMap(document.contents)) throw new Error("no map");
    for (const { key } of document.contents.items) {
      if (!isScalar(key)) throw new Error("no scalar");
      const { value } = key;
      const get = (): unknown => {
        looks += 1;
        return value;
      };
      Object.defineProperty(key, "value", { get });
    }
    expect(repeatedKeys(document)).toEqual([]);
    expect(looks).toBe(4_000);
  });
});

import { unknownOption } from "./option-names.js";

interface Options {
  readonly timeoutMs?: number;
  readonly retries?: number;
}
const known = { timeoutMs: true, retries: true } as const;

describe("unknownOption", () => {
  it("lets known names pass, whatever they hold", () => {
    expect(unknownOption<Options>({}, known)).toBeUndefined();
    expect(unknownOption<Options>({ timeoutMs: 1, retries: 2 }, known)).toBeUndefined();
  });

  it("names the one that was probably meant, or all there are", () => {
    const misspelt = { timeoutms: 1 } as Options;
    expect(unknownOption<Options>(misspelt, known)).toBe("unknown option timeoutms; did you mean timeoutMs?");
    const strange = { colour: "blue" } as Options;
    expect(unknownOption<Options>(strange, known)).toBe("unknown option colour; known are timeoutMs, retries");
  });
});

import { failureOf } from "../test/support/failure-of.js";
import { wholeNumber } from "./numbers.js";

describe("wholeNumber", () => {
  it("reads digits", () => {
    expect(wholeNumber("--hosts", "0")).toBe(0);
    expect(wholeNumber("--hosts", "128")).toBe(128);
  });

  it.each(["0", "128"])("refuses %s outside the range and says which that is", (text) => {
    expect(failureOf(() => wholeNumber("--paths", text, { from: 1, to: 127 }))).toMatchObject({
      code: "VERBENA_CLI_USAGE_ARGUMENT",
      message: `--paths takes a whole number from 1 to 127, not ${text}`,
    });
  });

  it.each(["", "-1", "1.5", "0x10", "1e3", "12 ", "9999999999999999"])("refuses %j and names the option", (text) => {
    expect(failureOf(() => wholeNumber("--hosts", text))).toMatchObject({
      code: "VERBENA_CLI_USAGE_NUMBER",
      message: `--hosts takes a whole number, not "${text}"`,
    });
  });
});

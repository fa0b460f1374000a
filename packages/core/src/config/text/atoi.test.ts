import { atoi } from "./atoi.js";

describe("atoi", () => {
  it.each([
    ["500ms", 500, false, true],
    ["2000", 2000, true, true],
    ["-1", -1, true, true],
    ["+7", 7, true, true],
    ["0x10", 0, false, true],
    ["soon", 0, false, false],
    ["", 0, false, false],
    ["99999999999", 2_147_483_647, false, true],
  ])("reads %j as %d", (text, value, exact, isNumber) => {
    expect(atoi(text)).toEqual({ value, exact, isNumber });
  });
});

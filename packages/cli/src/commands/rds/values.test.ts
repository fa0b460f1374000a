import { countValue, intervalMs } from "./values.js";

describe("numbers as the tools of RDS take them", () => {
  it.each([
    ["10", 10],
    ["0x10", 16],
    ["2k", 2048],
    ["1M", 1_048_576],
    ["1g", 1_073_741_824],
  ])("%s is %d", (text, value) => {
    expect(countValue("--count", text)).toBe(value);
  });

  it.each(["", "k", "1t", "-1", "1.5"])("%p is refused", (text) => {
    expect(() => countValue("--count", text)).toThrow(expect.objectContaining({ code: "VERBENA_CLI_USAGE_NUMBER" }));
  });

  it.each([
    ["1", 1000],
    ["0.25", 250],
    ["20ms", 20],
    ["20msec", 20],
    ["500us", 0.5],
    ["500usec", 0.5],
  ])("an interval of %s is %d ms", (text, value) => {
    expect(intervalMs(text)).toBe(value);
  });

  it("an interval that is none is refused", () => {
    expect(() => intervalMs("soon")).toThrow(expect.objectContaining({ code: "VERBENA_CLI_USAGE_DURATION" }));
  });
});

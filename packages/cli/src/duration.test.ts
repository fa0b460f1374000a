import { failureOf } from "../test/support/failure-of.js";
import { parseDurationMs } from "./duration.js";

describe("parseDurationMs", () => {
  it.each([
    ["250ms", 250],
    ["5s", 5000],
    ["5", 5000],
    ["0", 0],
    ["1.5s", 1500],
    ["2m", 120_000],
    ["1h", 3_600_000],
  ])("reads %s", (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  it.each(["", "s", "-1s", "5 s", "5d", "1e3", "1.s"])("refuses %j", (text) => {
    expect(failureOf(() => parseDurationMs(text))).toMatchObject({ code: "VERBENA_CLI_USAGE_DURATION" });
  });
});

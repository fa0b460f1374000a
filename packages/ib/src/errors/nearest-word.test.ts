import { didYouMean, nearestWord } from "./nearest-word.js";

const KEYS = ["log_file", "log_level", "lock_file", "route_timeout", "retries"];

describe("nearestWord", () => {
  it.each([
    ["log_fiel", "log_file"],
    ["logFile", "log_file"],
    ["LOG-LEVEL", "log_level"],
    ["retrys", "retries"],
    ["route_timout", "route_timeout"],
  ])("finds for %s the key %s", (word, expected) => {
    expect(nearestWord(word, KEYS)).toBe(expected);
  });

  it("finds nothing for a word unlike all keys", () => {
    expect(nearestWord("colour_of_cables", KEYS)).toBeUndefined();
    expect(didYouMean("colour_of_cables", KEYS)).toBeUndefined();
  });
});

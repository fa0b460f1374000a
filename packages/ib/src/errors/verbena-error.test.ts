import { defineErrors } from "./define-errors.js";
import type * as Module from "./verbena-error.js";
import { VerbenaError } from "./verbena-error.js";

const fail = defineErrors({
  VERBENA_TEST_THING: { message: "{what} is {state}", hint: "turn {what} on" },
  VERBENA_TEST_PLAIN: { message: "plain" },
});

describe("VerbenaError", () => {
  it("fills the placeholders of message and hint from the details", () => {
    const error = fail("VERBENA_TEST_THING", { details: { what: "port 1", state: "down" } });
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe("VerbenaError");
    expect(error.code).toBe("VERBENA_TEST_THING");
    expect(error.message).toBe("port 1 is down");
    expect(error.hint).toBe("turn port 1 on");
    expect(error.details).toEqual({ what: "port 1", state: "down" });
  });

  it("keeps a placeholder without a value visible", () => {
    expect(fail("VERBENA_TEST_THING", { details: { what: "x" } }).message).toBe("x is {state}");
  });

  it("takes cause, errno and syscall, and replaces message and hint", () => {
    const cause = new Error("below");
    const error = fail("VERBENA_TEST_PLAIN", {
      message: "open failed",
      hint: "load it",
      cause,
      errno: 2,
      syscall: "open",
    });
    expect(error).toMatchObject({ message: "open failed", hint: "load it", cause, errno: 2, syscall: "open" });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: "VERBENA_TEST_PLAIN",
      message: "open failed",
      hint: "load it",
      errno: 2,
      syscall: "open",
      cause: "below",
    });
  });

  it("has no members that were not given", () => {
    const error = fail("VERBENA_TEST_PLAIN");
    expect(Object.keys(error).sort()).toEqual(["code", "details"]);
    expect("cause" in error).toBe(false);
    expect(JSON.parse(JSON.stringify(error))).toEqual({ code: "VERBENA_TEST_PLAIN", message: "plain" });
  });

  it("is recognised by its brand, also across copies of the package", () => {
    const error = fail("VERBENA_TEST_PLAIN");
    expect(VerbenaError.is(error)).toBe(true);
    expect(VerbenaError.is(error, "VERBENA_TEST_PLAIN")).toBe(true);
    expect(VerbenaError.is(error, "VERBENA_TEST_THING")).toBe(false);
    jest.isolateModules(() => {
      const copy = jest.requireActual<typeof Module>("./verbena-error.js");
      expect(copy.VerbenaError).not.toBe(VerbenaError);
      expect(copy.VerbenaError.is(error)).toBe(true);
    });
    for (const other of [
      undefined,
      null,
      1,
      "VERBENA_TEST_PLAIN",
      {},
      new Error("x"),
      { code: "VERBENA_TEST_PLAIN" },
    ]) {
      expect(VerbenaError.is(other)).toBe(false);
    }
  });
});

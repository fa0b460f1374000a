import { VerbenaError } from "@verbena/ib";
import type { Io } from "../io.js";
import { reportFailure } from "./fail.js";

function captured(): Io & { readonly text: { out: string; err: string } } {
  const text = { out: "", err: "" };
  return {
    text,
    out: (more) => {
      text.out += more;
    },
    err: (more) => {
      text.err += more;
    },
  };
}

describe("reportFailure", () => {
  it.each([
    ["VERBENA_RESOLVE_NO_DATA", 1],
    ["VERBENA_RESOLVE_TIMEOUT", 1],
    ["VERBENA_DAEMON_LOCKED", 1],
    ["VERBENA_NATIVE_LIBRARY", 1],
    ["VERBENA_CONFIG_INVALID", 2],
    ["VERBENA_FILE_KIND", 2],
    ["VERBENA_PROVIDER_SDK_RANGE", 2],
    ["VERBENA_RESOLVE_DESTINATION_SYNTAX", 2],
    ["VERBENA_SIM_TOPOLOGY_SYNTAX", 2],
    ["VERBENA_CLI_USAGE_NODE", 2],
    ["VERBENA_CLI_NO_DAEMON", 3],
    ["VERBENA_CLIENT_CONNECT", 3],
    ["VERBENA_SIM_CONTROL_CONNECT", 3],
  ])("%s ends with %i", (code, status) => {
    expect(reportFailure(new VerbenaError(code, "text"), captured())).toBe(status);
  });

  it("prints message, code and hint", () => {
    const io = captured();
    reportFailure(new VerbenaError("VERBENA_RESOLVE_NO_DATA", "nobody is not known", { hint: "check the name" }), io);
    expect(io.text).toEqual({
      out: "",
      err: "verbena: nobody is not known [VERBENA_RESOLVE_NO_DATA]\nhint: check the name\n",
    });
  });

  it("shows what a terminal would act on", () => {
    const io = captured();
    reportFailure(new VerbenaError("VERBENA_CONFIG_INVALID", "a.cfg:1: \u001b[2J", { hint: "\u009b" }), io);
    expect(io.text.err).toBe("verbena: [VERBENA_CONFIG_INVALID]\na.cfg:1: \\u001b[2J\nhint: \\u009b\n");
  });

  it("leaves the lines of a wrong configuration whole", () => {
    const io = captured();
    reportFailure(new VerbenaError("VERBENA_CONFIG_INVALID", "a.cfg:1: bad\na.cfg:2: worse"), io);
    expect(io.text.err).toBe("verbena: [VERBENA_CONFIG_INVALID]\na.cfg:1: bad\na.cfg:2: worse\n");
  });

  it("prints one JSON object when asked for JSON", () => {
    const io = captured();
    reportFailure(new VerbenaError("VERBENA_RESOLVE_NO_DATA", "m", { hint: "h" }), io, true);
    expect(io.text).toEqual({
      out: '{"error":{"code":"VERBENA_RESOLVE_NO_DATA","message":"m","hint":"h"}}\n',
      err: "",
    });
  });

  it("calls anything else an internal fault and shows where it comes from", () => {
    const io = captured();
    expect(reportFailure(new TypeError("oops"), io)).toBe(1);
    expect(io.text.err).toMatch(
      /^TypeError: oops\n {4}at (?:.*\n)*verbena: oops \[VERBENA_CLI_INTERNAL\]\nhint: .* report /,
    );
    expect(reportFailure("a string", captured())).toBe(1);
  });
});

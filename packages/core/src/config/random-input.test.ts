import fc from "fast-check";
import { readAddresses } from "./addresses/read-addresses.js";
import { OPTION_KEYS, readOptions } from "./options/read-options.js";
import { DiagnosticSink, formatDiagnostic } from "./text/diagnostic.js";
import { readYaml } from "./yaml/read-yaml.js";

const line = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.tuple(fc.constantFrom(...OPTION_KEYS), fc.string({ maxLength: 20 })).map((words) => words.join(" ")),
  fc
    .array(
      fc.constantFrom(
        "daemon:",
        "  socket:",
        "- a",
        "? ",
        "&x",
        "*x",
        "{",
        "}",
        "<<:",
        "providers:",
        "__proto__:",
        "1",
      ),
      {
        maxLength: 4,
      },
    )
    .map((words) => words.join(" ")),
);
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));

/** Whatever is in a file: the reader gives a result, and every remark names the file and a line that is there. */
function holds(content: string, read: (sink: DiagnosticSink) => unknown): void {
  const sink = new DiagnosticSink();
  read(sink);
  const lines = content.split("\n").length;
  for (const remark of sink.all) {
    expect(formatDiagnostic(remark)).toMatch(/^file(:\d+)?: ./);
    expect(remark.line ?? 1).toBeGreaterThanOrEqual(1);
    expect(remark.line ?? 1).toBeLessThanOrEqual(lines);
  }
}

describe("configuration readers on random text", () => {
  it("readOptions", () => {
    fc.assert(
      fc.property(text, (content) => {
        holds(content, (sink) => readOptions(content, "file", sink));
      }),
    );
  });

  it("readAddresses", () => {
    fc.assert(
      fc.property(text, fc.boolean(), (content, supportIps) => {
        holds(content, (sink) => readAddresses(content, "file", sink, { supportIps }));
      }),
    );
  });

  it("readYaml", () => {
    fc.assert(
      fc.property(text, (content) => {
        holds(content, (sink) => readYaml(content, "file", sink));
      }),
    );
  });

  it("readYaml, with aliases that would unfold without end", () => {
    const bomb = [
      "a: &a [x, x, x, x, x, x, x, x, x]",
      ..."bcdefgh".split("").map((key, index) => {
        const before = "abcdefgh"[index] ?? "";
        return `${key}: &${key} [${Array(9).fill(`*${before}`).join(", ")}]`;
      }),
    ].join("\n");
    const sink = new DiagnosticSink();
    readYaml(bomb, "file", sink);
    expect(sink.errors.map(formatDiagnostic)).toEqual([expect.stringContaining("file: ")]);
  });
});

import { printable, printableLines } from "./printable.js";

describe("printable", () => {
  it.each([
    ["an escape sequence", "a\u001b[2Jb", "a\\u001b[2Jb"],
    ["a window title", "\u001b]0;x\u0007", "\\u001b]0;x\\u0007"],
    ["a carriage return", "real\rfalse", "real\\u000dfalse"],
    ["a line of its own", "a\nverbena: b", "a\\u000averbena: b"],
    ["a tab", "a\tb", "a\\u0009b"],
    ["the one-byte CSI of C1", "\u009b2J", "\\u009b2J"],
    ["DEL", "a\u007f", "a\\u007f"],
    ["writing turned round", "a\u202egfc\u2066", "a\\u202egfc\\u2066"],
    ["a line separator", "a\u2028b", "a\\u2028b"],
    ["half a character", "a\ud800b", "a\\ud800b"],
  ])("shows %s", (_, text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it("leaves letters of any script, emoji and backslashes as they are", () => {
    const text = 'Knoten "größe" узел ノード 😀 \\u001b';
    expect(printable(text)).toBe(text);
  });
});

describe("printableLines", () => {
  it("keeps line feeds and tabs", () => {
    expect(printableLines("a\tb\n\u001bc\r\n")).toBe("a\tb\n\\u001bc\\u000d\n");
  });

  it("leaves JSON the same JSON", () => {
    const value = { text: "\u007f\u009b2J\u202e\u2028\u001b\n" };
    const shown = printableLines(JSON.stringify(value));
    expect(shown).toBe('{"text":"\\u007f\\u009b2J\\u202e\\u2028\\u001b\\n"}');
    expect(JSON.parse(shown)).toEqual(value);
  });
});

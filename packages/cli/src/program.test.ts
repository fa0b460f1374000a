import type { Command } from "commander";
import { createProgram, runProgram } from "./program.js";

const silent = { out: () => undefined, err: () => undefined };

interface Named {
  readonly name: string;
  readonly command: Command;
}

/** What can be run: commands without sub-commands, and those that take words of their own beside them. */
function runnable(command: Command, above: string): readonly Named[] {
  const name = `${above} ${command.name()}`.trim();
  const below = command.commands.flatMap((child) => runnable(child, name));
  return below.length === 0 || command.registeredArguments.length > 0 ? [{ name, command }, ...below] : below;
}

describe("the command tree", () => {
  const commands = runnable(createProgram({ io: silent, exit: () => undefined }), "");

  it("has the documented commands", () => {
    expect(commands.map(({ name }) => name)).toEqual([
      "verbena serve",
      "verbena resolve",
      "verbena explain",
      "verbena endpoints",
      "verbena stats",
      "verbena cache ls",
      "verbena cache flush",
      "verbena multicast watch",
      "verbena multicast check",
      "verbena rds ping",
      "verbena rds stress",
      "verbena rds info",
      "verbena rds cat",
      "verbena doctor",
      "verbena config check",
      "verbena config show",
      "verbena config convert",
      "verbena acme",
      "verbena sim run",
      "verbena sim exec",
      "verbena sim ctl",
      "verbena sim ctl trace",
      "verbena sim ctl send",
      "verbena sim topology",
      "verbena sim graph",
      "verbena demo",
    ]);
  });

  it.each(commands)("$name is in the part of the tree that its first word stands for", ({ name }) => {
    const part = createProgram({ io: silent, exit: () => undefined }, false, name.split(" ")[1]);
    expect(runnable(part, "").map((found) => found.name)).toContain(name);
    expect(part.commands.length).toBeLessThan(6);
  });

  it.each(commands)("$name has a description and an example that begins with its name", ({ name, command }) => {
    let help = "";
    command.configureOutput({
      writeOut: (text) => {
        help += text;
      },
    });
    command.outputHelp();
    expect(command.description()).not.toBe("");
    // A command's options may stand before its sub-command: `sim ctl --dir DIR trace`.
    const words = name.split(" ").join("( --\\S+ \\S+)* ");
    expect(help).toMatch(new RegExp(`Examples?:\\n(.*\\n)* {2}${words}`));
  });

  it.each(commands.filter(({ name }) => name !== "verbena acme"))("$name offers --json", ({ command }) => {
    expect(command.options.map(({ long }) => long)).toContain("--json");
  });
});

describe("a wrong command line", () => {
  const run = async (words: readonly string[]) => {
    let [out, err, status] = ["", "", -1];
    await runProgram(words, {
      io: { out: (text) => (out += text), err: (text) => (err += text) },
      exit: (code) => (status = code),
    });
    return { out, err, status };
  };

  it.each([
    [["bogus", "--json"], "unknown command 'bogus'"],
    [["resolve", "--json"], "missing required argument 'destination'"],
    [["resolve", "a", "b", "--json"], "too many arguments"],
    [["--json"], "unknown option '--json'"],
    [["cache", "--json"], "unknown option '--json'"],
  ])("%j is answered with one JSON object", async (words, message) => {
    const { out, err, status } = await run(words);
    expect({ status, err }).toEqual({ status: 2, err: "" });
    expect(JSON.parse(out)).toMatchObject({
      error: { code: "VERBENA_CLI_USAGE_ARGUMENT", message: expect.stringContaining(message) as string },
    });
  });

  it("is answered in words where JSON is another program's", async () => {
    const { out, err, status } = await run(["sim", "exec", "--", "true", "--json"]);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain("required option '--dir <dir>' not specified");
  });
});

describe("verbena --version", () => {
  it.each([
    [["--version"], /^\d+\.\d+\.\d+\n$/],
    [["--version", "--json"], /^\{"version":"\d+\.\d+\.\d+"\}\n$/],
  ])("with %j prints the version in that form", async (words, expected) => {
    let [out, status] = ["", -1];
    await runProgram(words, { io: { ...silent, out: (text) => (out += text) }, exit: (code) => (status = code) });
    expect(out).toMatch(expected);
    expect(status).toBe(0);
  });
});

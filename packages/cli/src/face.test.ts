import { runFace } from "./face.js";

/** What a face says to a wrong option tells which one it is. */
async function said(argv: readonly string[], argv0?: string): Promise<{ status: number; text: string }> {
  let text = "";
  const add = (more: string): void => {
    text += more;
  };
  const status = await runFace(argv, { out: add, err: add }, argv0);
  return { status, text };
}

describe("runFace", () => {
  it.each([
    ["ib_acme by the program's name", ["node", "/usr/bin/ib_acme", "-x"], "node", "ib_acme: invalid option -- 'x'", 1],
    ["ib_acme by argv[0]", ["node", "/opt/verbena.js", "-x"], "/usr/bin/ib_acme", "ib_acme: invalid option -- 'x'", 1],
    ["ib_acme by the command acme", ["node", "/opt/verbena.js", "acme", "-x"], "node", "ib_acme: invalid option", 1],
    ["ib_acme's usage for -h", ["node", "/opt/verbena.js", "acme", "-h"], "node", "usage 1: ib_acme", 1],
    ["ibacm by the program's name", ["node", "/usr/sbin/ibacm", "-x"], "node", "ibacm: invalid option -- 'x'", 1],
    ["verbena otherwise", ["node", "/opt/verbena.js", "-x"], "node", "error: unknown option '-x'", 2],
    ["verbena, with no word at all", ["node", "/opt/verbena.js"], "node", "Usage: verbena", 2],
  ])("is %s", async (_what, argv, argv0, text, status) => {
    const got = await said(argv, argv0);
    expect(got.text).toContain(text);
    expect(got.status).toBe(status);
  });
});

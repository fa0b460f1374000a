import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "../../../test/support/run.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "config-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("verbena config check", () => {
  it("prints what the readers say, and ends with 2 if no daemon could start", async () => {
    const options = file("opts.cfg", "timeout 0\ncolour blue\n");
    const { status, out } = await ask(["config", "check", "-O", options, "-A", join(folder, "none")]);
    expect(out).toContain(`${options}:1: error: timeout: "0": must be at least 1\n`);
    expect(out).toContain(`${options}:2: warning: unknown key colour; the line is ignored`);
    expect(out).toMatch(/\nnot usable: 1 errors, 1 warnings\n$/);
    expect(status).toBe(2);
  });

  it("ends with 0 for warnings", async () => {
    const options = file("opts.cfg", "colour blue\n");
    const { status, out } = await ask(["config", "check", "-O", options, "-A", join(folder, "none"), "--json"]);
    expect(JSON.parse(out)).toMatchObject({ valid: true, files: { options: { path: options, isFound: true } } });
    expect(status).toBe(0);
  });
});

describe("verbena config show", () => {
  it("tells where each value comes from", async () => {
    file("opts.cfg", "# ours\ntimeout 500\nretries 1\nroute_prot acm\n");
    const config = file("v.yaml", "files:\n  options: opts.cfg\nsa:\n  retries: 7\n");
    const { out } = await ask(["config", "show", "--config", config, "--json"]);
    const { settings } = JSON.parse(out) as { settings: { key: string }[] };
    const of = (wanted: string) => settings.find(({ key }) => key === wanted);
    expect(of("sa.timeoutMs")).toEqual({ key: "sa.timeoutMs", value: 500, origin: join(folder, "opts.cfg:2") });
    expect(of("sa.retries")).toEqual({ key: "sa.retries", value: 7, origin: `${config}:4` });
    expect(of("sa.depth")).toEqual({ key: "sa.depth", value: 16, origin: "default" });
    expect(of("chains.route")).toEqual({
      key: "chains.route",
      value: ["acm", "sa"],
      origin: join(folder, "opts.cfg:4"),
    });
    expect(of("daemon.socket")).toEqual({ key: "daemon.socket", origin: "default" });
    const { out: text } = await ask(["config", "show", "--config", config]);
    expect(text).toMatch(/^key +value +from\n/);
  });

  it("refuses what a daemon would refuse", async () => {
    const config = file("v.yaml", "sokcet: x\n");
    const { status, err } = await ask(["config", "show", "--config", config]);
    expect(err).toContain(`${config}:1: `);
    expect(status).toBe(2);
  });
});

describe("verbena config convert", () => {
  const convert = (...words: readonly string[]) =>
    ask(["config", "convert", "--opts", join(folder, "opts.cfg"), "--addr", join(folder, "addr.cfg"), ...words]);

  it("writes a file once, and again with --force", async () => {
    file("opts.cfg", "timeout 500\ncolour blue\n");
    file("addr.cfg", "node1 mlx5_0 1 default\n");
    const out = join(folder, "verbena.yaml");
    const first = await convert("--out", out);
    expect(first).toMatchObject({ status: 0, err: expect.stringContaining("opts.cfg:2: warning: unknown key colour") });
    expect(readFileSync(out, "utf8")).toContain("timeoutMs: 500");
    expect((await ask(["config", "check", "--config", out])).status).toBe(0);
    const second = await convert("--out", out);
    expect(second).toMatchObject({ status: 1, err: expect.stringContaining("VERBENA_CLI_FILE") });
    expect((await convert("--out", out, "--force")).status).toBe(0);
  });

  it("refuses what is no regular file, by name", async () => {
    file("addr.cfg", "");
    const { status, err } = await ask(["config", "convert", "--opts", "/dev/zero", "--addr", join(folder, "addr.cfg")]);
    expect(err).toMatch(/^verbena: \/dev\/zero is a device, not a regular file \[VERBENA_FILE_KIND\]\nhint: /);
    expect(status).toBe(2);
  });

  it("shows control characters of the files, and never prints them", async () => {
    file("opts.cfg", "\u001b[2Jcolour\u009b blue\n");
    file("addr.cfg", "\u001b]0;x\u0007 mlx5_0\n");
    const { status, out, err } = await convert();
    expect(err).toContain("opts.cfg:1: warning: unknown key \\u001b[2Jcolour\\u009b; the line is ignored\n");
    expect(out).toContain("# not carried over: \\u001b[2Jcolour\\u009b blue (");
    expect(out + err).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(status).toBe(0);
    const checked = await ask(["config", "check", "-O", join(folder, "opts.cfg"), "-A", join(folder, "none")]);
    expect(checked.out).toContain("unknown key \\u001b[2Jcolour\\u009b;");
  });

  it("writes nothing for files with errors, or that are not there", async () => {
    file("opts.cfg", "timeout 0\n");
    expect(await convert()).toMatchObject({ status: 1, out: "", err: expect.stringContaining("addr.cfg") });
    file("addr.cfg", "");
    expect(await convert()).toMatchObject({ status: 2, out: "", err: expect.stringContaining("opts.cfg:1: ") });
  });
});

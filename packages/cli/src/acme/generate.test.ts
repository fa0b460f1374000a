import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GenerateSources, runAcme } from "./index.js";

const LINES = ["vm-1 sim0 1 default", "vm sim0 2 default", "vm-2 sim0 2 default"];

describe("-A and -O", () => {
  let dir = "";
  let text = "";
  const io = {
    out: (more: string) => {
      text += more;
    },
    err: (more: string) => {
      text += more;
    },
  };
  const sources = (devices: number): GenerateSources => ({
    confDir: join(dir, "conf"),
    addressFile: () => Promise.resolve({ devices, text: `# names\n\n${LINES.join("\n")}\n` }),
    optionsFile: () => Promise.resolve("log_level 0\n"),
  });
  const run = (line: string, devices = 2): Promise<number> =>
    runAcme(line.split(" "), io, { sources: sources(devices), runDir: dir });

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "acme-files-"));
    text = "";
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
  });

  it("writes both files and says nothing", async () => {
    expect(await run("-A -O")).toBe(0);
    expect(text).toBe("");
    expect(readdirSync(join(dir, "conf")).sort()).toEqual(["ibacm_addr.cfg", "ibacm_opts.cfg"]);
    expect(readFileSync(join(dir, "conf", "ibacm_opts.cfg"), "utf8")).toBe("log_level 0\n");
    expect(statSync(join(dir, "conf")).mode & 0o777).toBe(0o755);
  });

  it("-V prints the files, the names and the status", async () => {
    expect(await run(`-A names -O -V -D ${dir}/d`)).toBe(0);
    expect(text).toBe(
      [`Generating ${dir}/d/names`, ...LINES, `Generating ${dir}/d/ibacm_opts.cfg`, "return status 0x0", ""].join("\n"),
    );
  });

  it("takes an absolute file name as it is", async () => {
    expect(await run(`-O ${dir}/abs -D ${dir}/d -V`)).toBe(0);
    expect(text).toBe(`Generating ${dir}/d/${dir}/abs\nreturn status 0x0\n`);
    expect(readdirSync(dir).sort()).toEqual(["abs", "d"]);
  });

  it("fails without devices, and then writes no options either", async () => {
    expect(await run(`-A -O -D ${dir}`, 0)).toBe(255);
    expect(text).toBe("ibv_get_device_list - no devices present?\nreturn status 0xffffffff\n");
    expect(readdirSync(dir)).toEqual([]);
  });

  it("says what is wrong with the folder", async () => {
    expect(await run(`-O -D ${dir}/x/y`)).toBe(255);
    expect(text).toBe(
      [
        `Failed to open directory ${dir}/x/y: No such file or directory`,
        "Failed to open option configuration file: No such file or directory",
        "return status 0xffffffff",
        "",
      ].join("\n"),
    );
  });

  it("does not make files when the service could not be asked", async () => {
    expect(await run("-O -P")).toBe(2);
    expect(text).toBe(
      `${dir}/ibacm-unix.sock,unable to contact service: No such file or directory\nreturn status 0x2\n`,
    );
  });
});

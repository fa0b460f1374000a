import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DaemonConfig } from "../daemon-config.js";
import { generateAddressFile } from "../generate/address-file.js";
import { generateOptionsFile } from "../generate/options-file.js";
import { loadConfig } from "../load-config.js";
import type { OPTION_TABLE } from "../options/option-table.js";
import { convertConfig } from "./convert-config.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbena-convert-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);

/** What decides how a daemon works: places of lines and files do not. */
function effective(config: DaemonConfig): unknown {
  const { folder: _folder, providers, addresses, ...rest } = config;
  return {
    ...rest,
    providers: providers.map(({ where: _where, ...provider }) => provider),
    addresses: { ...addresses, file: undefined, lines: addresses.lines.map(({ line: _line, ...one }) => one) },
  };
}

/** Loads ibacm's files, and the `verbena.yaml` made of them. */
async function bothWays(options: string, addresses?: string) {
  await writeFile(at("opts.cfg"), options);
  if (addresses !== undefined) await writeFile(at("addr.cfg"), addresses);
  const { yaml, diagnostics } = await convertConfig({
    options: { file: at("opts.cfg"), text: options },
    addresses: { file: at("addr.cfg"), ...(addresses === undefined ? {} : { text: addresses }) },
    folder,
  });
  await writeFile(at("verbena.yaml"), yaml);
  const before = await loadConfig({ options: at("opts.cfg"), addresses: at("addr.cfg"), ignoreDefaults: true });
  const after = await loadConfig({ config: at("verbena.yaml") });
  return { yaml, diagnostics, before: effective(before.config), after: effective(after.config) };
}

/** A value of each key that is not its default. */
const OTHERS: Readonly<Record<keyof typeof OPTION_TABLE, string>> = {
  log_file: "/var/log/other.log",
  log_level: "2",
  umad_debug_level: "1",
  lock_file: "/run/other.pid",
  addr_prot: "acm",
  addr_timeout: "5",
  route_prot: "acm",
  route_timeout: "7",
  loopback_prot: "none",
  server_port: "7000",
  server_mode: "loop",
  acme_plus_kernel_only: "yes",
  timeout: "500",
  retries: "0",
  resolve_depth: "4",
  sa_depth: "8",
  send_depth: "2",
  recv_depth: "64",
  min_mtu: "4096",
  min_rate: "100",
  route_preload: "opensm_full_v1",
  route_data_file: "/etc/rdma/dump",
  addr_preload: "acm_hosts",
  addr_data_file: "/etc/rdma/hosts",
  support_ips_in_addr_cfg: "1",
};

const ADDRESSES = [
  "# names of host7",
  "host7 mlx5_0 1 default",
  "host7-storage mlx5_0 1 0x8002",
  "host7-2 mlx5_1 2 7fff",
  "192.0.2.7 mlx5_0 1 default",
  "HOST7 MLX5_0 1 default",
  "broken mlx5_0",
  "",
].join("\n");

describe("convertConfig", () => {
  it.each(Object.entries(OTHERS))("%s %s means the same in verbena.yaml", async (key, value) => {
    const { before, after } = await bothWays(`${key} ${value}\n`);
    expect(after).toEqual(before);
  });

  it("says the same with every key, and with an address file", async () => {
    const options = Object.entries(OTHERS).map(([key, value]) => `${key} ${value}\n`);
    const { before, after, yaml } = await bothWays(options.join(""), ADDRESSES);
    expect(after).toEqual(before);
    expect(yaml).toContain("pkey: 0x8002");
    expect(yaml).toMatch(/not carried over: .*addr\.cfg:7: a line needs four words/);
  });

  it("says the same for the files that ib_acme writes", async () => {
    const devices = [{ name: "mlx5_0", ports: [{ port: 1, active: true }] }];
    const { before, after, diagnostics } = await bothWays(
      generateOptionsFile(),
      generateAddressFile({ hostname: "host7.example", devices }),
    );
    expect(after).toEqual(before);
    expect(diagnostics).toEqual([]);
  });

  it("says the same for no options and no address file: the default one is still written there", async () => {
    const { before, after, yaml } = await bothWays("");
    expect(after).toEqual(before);
    expect(yaml).toContain(`addresses: ${at("addr.cfg")}`);
  });

  it("anchors relative paths where ibacm's files had them", async () => {
    const { yaml } = await bothWays("log_file x.log\nlock_file stderr.pid\n");
    expect(yaml).toContain(`logFile: ${at("x.log")}`);
    const { yaml: toStream } = await bothWays("log_file stderr\n");
    expect(toStream).toContain("logFile: stderr");
  });

  it("keeps comments beside their keys, and says what became of lines without an effect", async () => {
    const { yaml, diagnostics } = await bothWays(
      [
        "# Site defaults",
        "",
        "# slow SA",
        "timeout 500 # milliseconds",
        "retries 1",
        "colour blue",
        "retries 3",
        "provider other default",
        "# the end",
        "",
      ].join("\n"),
    );
    expect(yaml).toBe(
      [
        `# Made of ${at("opts.cfg")} by \`verbena config convert\`.`,
        "",
        "sa:",
        "  # Site defaults",
        "  # slow SA",
        "  timeoutMs: 500 # milliseconds",
        "  # not carried over: retries 1 (it has no effect: another line wins)",
        "  # not carried over: colour blue (unknown key colour; the line is ignored)",
        "  retries: 3",
        "files:",
        `  addresses: ${at("addr.cfg")}`,
        "",
        '# not carried over: provider other default (provider "other" names a C plug-in, which is not loaded)',
        "# the end",
        "",
      ].join("\n"),
    );
    expect(diagnostics.map(({ line, severity }) => [line, severity])).toEqual([
      [6, "warning"],
      [8, "warning"],
    ]);
  });

  it("names the first hundred lines without an effect, with their own reasons, and counts the rest", async () => {
    const lines = Array.from({ length: 250 }, (_, index) => `colour${String(index)} blue ${"x".repeat(120)}`);
    const { yaml, diagnostics } = await bothWays(`${lines.join("\n")}\nsa: 1\n`);
    const kept = yaml.split("\n").filter((line) => line.includes("not carried over: colour"));
    expect(kept).toHaveLength(100);
    expect(kept.filter((line) => line.includes("another line wins"))).toEqual([]);
    expect(yaml).toContain("# not carried over: 151 more lines without an effect\n");
    expect(diagnostics.at(-1)?.message).toBe("and 401 more of this kind");
  });

  it("shows control characters of the files in its comments", async () => {
    const { yaml, before, after } = await bothWays("timeout 500 #\u001b[2J\rsa: 1\n#\u0007\u202e\ncolour\u009b blue\n");
    expect(yaml).toContain("timeoutMs: 500 # \\u001b[2J sa: 1\n");
    expect(yaml).toContain("# \\u0007\\u202e\n");
    expect(yaml).toContain("# not carried over: colour\\u009b blue (");
    expect(after).toEqual(before);
  });

  it("refuses files with errors", async () => {
    await expect(convertConfig({ options: { file: "o", text: "timeout 0\n" } })).rejects.toMatchObject({
      code: "VERBENA_CONFIG_INVALID",
    });
  });

  it("survives comments that look like YAML", async () => {
    const { before, after } = await bothWays("# a: [b\n#\n#\t- c: 'd\ntimeout 500 # : } \"\n# ---\n# ...\nretries 1\n");
    expect(after).toEqual(before);
  });
});

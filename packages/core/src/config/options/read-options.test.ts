import { DiagnosticSink, formatDiagnostic } from "../text/diagnostic.js";
import { readOptions } from "./read-options.js";

function read(text: string) {
  const sink = new DiagnosticSink();
  const values = readOptions(text, "opts.cfg", sink);
  return { values, lines: sink.all.map((entry) => `${entry.severity} ${formatDiagnostic(entry)}`) };
}

describe("readOptions", () => {
  it("reads keys without case, ignores a third word and comments, and lets later lines win", () => {
    const { values, lines } = read(
      "# timeout 1\nTimeout 500 # was 2000\n\n  retries\t3\ntimeout 700\nserver_mode LOOP\n",
    );
    expect(values).toEqual({ timeout: 700, retries: 3, server_mode: "loop" });
    expect(lines).toEqual([]);
  });

  it("warns of an unknown key with file, line and the nearest key", () => {
    const { values, lines } = read("log_level 1\nlog_fiel /tmp/x\n");
    expect(values).toEqual({ log_level: 1 });
    expect(lines).toEqual(["warning opts.cfg:2: unknown key log_fiel; the line is ignored (did you mean log_file?)"]);
  });

  it("takes route_timeout in lower case only, as ibacm does", () => {
    const { values, lines } = read("Route_Timeout 5\nroute_timeout 6\n");
    expect(values).toEqual({ route_timeout: 6 });
    expect(lines).toEqual([
      "warning opts.cfg:1: unknown key Route_Timeout; the line is ignored (did you mean route_timeout?)",
    ]);
  });

  it.each([
    ["timeout 500ms", { timeout: 500 }, 'timeout: "500ms" is read as 500'],
    ["retries 3x", { retries: 3 }, 'retries: "3x" is read as 3'],
    ["log_level debug", { log_level: 0 }, 'log_level: "debug" is not a number; it is read as 0'],
    ["log_level 7", { log_level: 2 }, 'log_level: "7" is read as 2'],
    ["addr_timeout 2h", { addr_timeout: 2 }, 'addr_timeout: "2h" is read as 2'],
    ["addr_timeout -5", { addr_timeout: -1 }, 'addr_timeout: "-5" is read as -1'],
    ["min_mtu 1500", { min_mtu: 2048 }, 'min_mtu: "1500" is not one of 256, 512, 1024, 2048, 4096; it is read as 2048'],
    ["support_ips_in_addr_cfg yes", { support_ips_in_addr_cfg: false }, "is not a number; it is read as 0 (off)"],
    ["acme_plus_kernel_only on", { acme_plus_kernel_only: false }, '"on" is read as no'],
    ["server_mode socket", { server_mode: "unix" }, "it is read as unix"],
    ["route_prot sm", {}, "is not one of sa, acm; it is ignored"],
  ])("warns how %j is read", (line, values, message) => {
    const result = read(`${line}\n`);
    expect(result.values).toEqual(values);
    expect(result.lines).toEqual([expect.stringMatching(/^warning opts\.cfg:1: /)]);
    expect(result.lines[0]).toContain(message);
  });

  it.each(["timeout 0", "timeout -5", "timeout soon", "retries -1", "sa_depth 0", "resolve_depth x", "recv_depth 0"])(
    "calls %j an error",
    (line) => {
      expect(read(`log_level 0\n${line}\n`).lines).toEqual([
        expect.stringMatching(/^error opts\.cfg:2: .* must be at least/),
      ]);
    },
  );

  it("lets a later useful line make up for a useless one", () => {
    expect(read("timeout 0\ntimeout 100\n")).toEqual({ values: { timeout: 100 }, lines: [] });
  });

  it("calls a useless port an error only where a port is used", () => {
    expect(read("server_port 70000\n").lines[0]).toMatch(/^warning opts\.cfg:1: .*not used in server_mode unix/);
    expect(read("server_port 0\nserver_mode open\n").lines[0]).toMatch(
      /^error opts\.cfg:1: server_port: 0 is not a TCP port/,
    );
  });

  it("accepts both spellings of the path dump", () => {
    expect(read("route_preload opensm_full_v1\n")).toEqual({ values: { route_preload: "opensm_full_v1" }, lines: [] });
    expect(read("route_preload FULL_opensm_v1\n")).toEqual({ values: { route_preload: "opensm_full_v1" }, lines: [] });
    expect(read("route_preload no\n").values).toEqual({ route_preload: "none" });
  });

  it.each([
    ["yes", true],
    ["TRUE", true],
    ["0x10", true],
    ["1", true],
    ["no", false],
    ["0", false],
    ["false", false],
  ])("reads acme_plus_kernel_only %s without a remark", (text, value) => {
    expect(read(`acme_plus_kernel_only ${text}\n`)).toEqual({ values: { acme_plus_kernel_only: value }, lines: [] });
  });

  it("warns of C plug-ins with the npm way, and maps ibacmp", () => {
    const { lines } = read("provider_lib_path /opt/acm\nprovider myprov 0xFE80000000000000\nprovider ibacmp default\n");
    expect(lines).toEqual([
      expect.stringMatching(/^warning opts\.cfg:1: provider_lib_path "\/opt\/acm" is not used.*npm packages/),
      expect.stringMatching(/^warning opts\.cfg:2: provider "myprov" names a C plug-in.*npm packages/),
      expect.stringMatching(/^note opts\.cfg:3: provider ibacmp stands for @verbena\/provider-acm/),
    ]);
  });

  it("says when ibacm would cut a line", () => {
    const { values, lines } = read(`log_file /${"x".repeat(120)}\n`);
    expect(values.log_file).toHaveLength(121);
    expect(lines).toEqual([expect.stringContaining("warning opts.cfg:1: line of 130 characters is read whole")]);
  });
});

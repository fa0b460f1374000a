import { DiagnosticSink, formatDiagnostic } from "../text/diagnostic.js";
import { readAddresses } from "./read-addresses.js";

function read(text: string, supportIps = false) {
  const sink = new DiagnosticSink();
  const lines = readAddresses(text, "addr.cfg", sink, { supportIps });
  return { lines, remarks: sink.all.map(formatDiagnostic) };
}

describe("readAddresses", () => {
  it("reads names, devices, ports and P_Keys", () => {
    const { lines, remarks } = read(
      "# address      device   port  pkey\nhost7 mlx5_0 1 default\nhost7-storage mlx5_0 1 0x8002 # storage\nhost7-2 mlx5_1 1 ffff\n",
    );
    expect(remarks).toEqual([]);
    expect(lines).toEqual([
      { line: 2, kind: "name", text: "host7", device: "mlx5_0", port: 1, pkey: "default" },
      { line: 3, kind: "name", text: "host7-storage", device: "mlx5_0", port: 1, pkey: 0x8002 },
      { line: 4, kind: "name", text: "host7-2", device: "mlx5_1", port: 1, pkey: 0xffff },
    ]);
  });

  it("takes IP addresses only when told to", () => {
    const text = "192.0.2.1 mlx5_0 1 default\n2001:db8::1 mlx5_0 1 default\n";
    expect(read(text).lines).toEqual([]);
    expect(read(text).remarks).toEqual([
      expect.stringContaining("addr.cfg:1: IP address 192.0.2.1 is ignored"),
      expect.stringContaining("addr.cfg:2: IP address 2001:db8::1 is ignored"),
    ]);
    expect(read(text, true).lines.map(({ kind, text: address }) => [kind, address])).toEqual([
      ["ip", "192.0.2.1"],
      ["ip", "2001:db8::1"],
    ]);
  });

  it.each([
    ["host1 mlx5_0 1", "four words"],
    ["host1 mlx5_0 one default", 'port "one"'],
    ["host1 mlx5_0 0 default", 'port "0"'],
    ["host1 mlx5_0 1 0xfffff", 'P_Key "0xfffff"'],
    ["fe80::1%ib0 mlx5_0 1 default", "fe80::1%ib0: a scope id (%…) means nothing on another host"],
    [`${"h".repeat(47)} mlx5_0 1 default`, "too long"],
  ])("skips %j with a warning", (line, message) => {
    const { lines, remarks } = read(`${line}\nhost2 mlx5_0 1 default\n`);
    expect(lines.map(({ text }) => text)).toEqual(["host2"]);
    expect(remarks).toEqual([expect.stringContaining(message)]);
    expect(remarks[0]).toMatch(/^addr\.cfg:1: /);
  });

  it("skips a repeated address of one endpoint and reads on", () => {
    const { lines, remarks } = read("host1 mlx5_0 1 0x7fff\nHOST1 MLX5_0 1 ffff\nhost2 mlx5_0 1 default\n");
    expect(lines.map(({ text }) => text)).toEqual(["host1", "host2"]);
    expect(remarks).toEqual([expect.stringContaining("addr.cfg:2: HOST1 is already in line 1")]);
  });
});

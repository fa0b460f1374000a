import { readOptions } from "../options/read-options.js";
import { DiagnosticSink } from "../text/diagnostic.js";
import { generateAddressFile } from "./address-file.js";
import { generateOptionsFile } from "./options-file.js";

const active = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

/** Active lines of the file that \`ib_acme -O\` of Debian's ibacm 44.0 writes. */
const IB_ACME_LINES = `log_file /var/log/ibacm.log
log_level 0
umad_debug_level 0
lock_file /run/ibacm.pid
addr_prot acm
addr_timeout 1440
route_prot sa
route_timeout -1
loopback_prot local
server_port 6125
server_mode unix
acme_plus_kernel_only no
timeout 2000
retries 2
resolve_depth 1
sa_depth 1
send_depth 1
recv_depth 1024
min_mtu 2048
min_rate 10
route_preload none
addr_preload none`.split("\n");

describe("generateOptionsFile", () => {
  it("has the active lines of ib_acme -O", () => {
    expect(active(generateOptionsFile())).toEqual(IB_ACME_LINES);
  });

  it("is read back without a remark, commented lines too", () => {
    const sink = new DiagnosticSink();
    readOptions(generateOptionsFile(), "generated", sink);
    readOptions(generateOptionsFile().replaceAll(/^# ([a-z_]+ \S+)$/gm, "$1"), "uncommented", sink);
    expect(sink.all.filter(({ severity }) => severity !== "note")).toEqual([]);
  });

  it("keeps every line below the length ibacm reads at once", () => {
    expect(
      Math.max(
        ...generateOptionsFile()
          .split("\n")
          .map((line) => line.length),
      ),
    ).toBeLessThan(80);
  });
});

describe("generateAddressFile", () => {
  it("names the first active port by the short host name, then counts every port", () => {
    const text = generateAddressFile({
      hostname: "node7.cluster.example",
      devices: [
        {
          name: "mlx5_0",
          ports: [
            { port: 1, active: false },
            { port: 2, active: true },
          ],
        },
        { name: "mlx5_1", ports: [{ port: 1, active: true }] },
      ],
    });
    expect(active(text)).toEqual([
      "node7-1 mlx5_0 1 default",
      "node7 mlx5_0 2 default",
      "node7-2 mlx5_0 2 default",
      "node7-3 mlx5_1 1 default",
    ]);
  });

  it("has no host line without an active port", () => {
    const text = generateAddressFile({
      hostname: "n",
      devices: [{ name: "sim0", ports: [{ port: 1, active: false }] }],
    });
    expect(active(text)).toEqual(["n-1 sim0 1 default"]);
  });
});

/** What `verbena sim ctl trace --pcap` writes, read by tshark. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { twoLevel } from "@verbena/fabric-sim";
import { programPath } from "../../packages/cli/test/support/run.js";
import { PeerFabric } from "./peer-fabric.js";
import { missing, run } from "./sim-programs.js";

const TIMEOUT_MS = 180_000;
const reason = missing("tshark", "saquery", "smpquery");
const suite = reason === undefined ? describe : describe.skip;

const FIELDS = [
  "frame.interface_name",
  "infiniband.lrh.slid",
  "infiniband.lrh.dlid",
  "infiniband.deth.srcqp",
  "infiniband.bth.destqp",
  "infiniband.bth.p_key",
  "infiniband.mad.mgmtclass",
  "infiniband.mad.method",
  "infiniband.mad.attributeid",
];

suite(`tshark${reason === undefined ? "" : `: ${reason}`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "tshark-"));
  const capture = join(folder, "capture.pcapng");
  let fabric: PeerFabric;

  beforeAll(async () => {
    fabric = await PeerFabric.start(twoLevel({ hosts: 8 }));
    const trace = spawn(process.execPath, [
      programPath(),
      "sim",
      "ctl",
      "--dir",
      fabric.dir,
      "trace",
      "--pcap",
      capture,
    ]);
    trace.stdout.resume();
    await said(trace, "tracing");
    expect((await fabric.run("H5", "saquery", "NR", "1")).status).toBe(0);
    expect((await fabric.run("H5", "smpquery", "nodeinfo", "1")).status).toBe(0);
    expect((await fabric.run("H5", "smpquery", "-D", "portinfo", "0,1,5", "1")).status).toBe(0);
    trace.kill("SIGINT");
    expect(await once(trace, "close")).toEqual([0, null]);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await fabric.stop();
    rmSync(folder, { recursive: true });
  }, TIMEOUT_MS);

  const tshark = async (...args: readonly string[]) => {
    const { status, stdout } = await run("tshark", ["-n", "-r", capture, ...args], {});
    expect(status).toBe(0);
    return stdout.split("\n").filter((line) => line !== "");
  };

  it(
    "shows LIDs, queue pairs, classes, methods and attributes of every packet, each once",
    async () => {
      const lines = await tshark("-T", "fields", ...FIELDS.flatMap((field) => ["-e", field]));
      const qp1 = ["0x00000001", "0x000001", "65535"];
      const qp0 = ["0x00000000", "0x000000", "65535"];
      const h1 = ["H1[1]", "1", "8"];
      const h5 = ["H5[1]", "8", "1"];
      const anywhere = ["65535", "65535"];
      expect(lines.map((line) => line.split("\t"))).toEqual([
        // GetTable of NodeRecord, its answer, the acknowledgement of the segment.
        [...h5, ...qp1, "0x03", "0x12", "0x0011"],
        [...h1, ...qp1, "0x03", "0x92", "0x0011"],
        [...h5, ...qp1, "0x03", "0x12", "0x0011"],
        // NodeInfo by LID; PortInfo by directed route, answered by S1, which LID 0xffff does not tell.
        [...h5, ...qp0, "0x01", "0x01", "0x0011"],
        [...h1, ...qp0, "0x01", "0x81", "0x0011"],
        ["H5[1]", ...anywhere, ...qp0, "0x81", "0x01", "0x0015"],
        ["S1[2]", ...anywhere, ...qp0, "0x81", "0x81", "0x0015"],
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    "finds nothing malformed, and as many bytes as there are",
    async () => {
      expect(await tshark("-Y", "_ws.malformed || _ws.expert.severity >= 0x400000")).toEqual([]);
      // LRH 8, BTH 12, DETH 8, MAD 256, invariant CRC 4, variant CRC 2.
      expect(new Set(await tshark("-T", "fields", "-e", "frame.len"))).toEqual(new Set(["290"]));
    },
    TIMEOUT_MS,
  );
});

/** Resolves when the program has printed a line to standard error. */
async function said(child: ChildProcess, line: string): Promise<void> {
  let text = "";
  for await (const chunk of child.stderr ?? []) {
    text += String(chunk);
    if (text.split("\n").includes(line)) return;
  }
  throw new Error(`it ended: ${text}`);
}

/** What `verbena sim ctl trace --pcap` writes of management and of queue pairs, read by tshark. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { twoLevel } from "@verbena/fabric-sim";
import { programPath } from "../../packages/cli/test/support/run.js";
import { PeerFabric } from "./peer-fabric.js";
import { missing, run } from "./sim-programs.js";
import { missingNotice, nodeOf, runPair } from "./verbs-pair.js";

const TIMEOUT_MS = 180_000;
const reason = missing("tshark", "saquery", "smpquery");
const suite = reason === undefined ? describe : describe.skip;

/** Starts a capture of a fabric; call what it gives to end it. */
async function startCapture(dir: string, file: string): Promise<() => Promise<void>> {
  const args = [programPath(), "sim", "ctl", "--dir", dir, "trace", "--pcap", file];
  const trace = spawn(process.execPath, args);
  trace.stdout.resume();
  await said(trace, "tracing");
  return async () => {
    trace.kill("SIGINT");
    expect(await once(trace, "close")).toEqual([0, null]);
  };
}

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
    const end = await startCapture(fabric.dir, capture);
    expect((await fabric.run("H5", "saquery", "NR", "1")).status).toBe(0);
    expect((await fabric.run("H5", "smpquery", "nodeinfo", "1")).status).toBe(0);
    expect((await fabric.run("H5", "smpquery", "-D", "portinfo", "0,1,5", "1")).status).toBe(0);
    await end();
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

const dataReason = missing("tshark", "ibv_rc_pingpong") ?? missingNotice();
const dataSuite = dataReason === undefined ? describe : describe.skip;

dataSuite(`tshark on queue pairs${dataReason === undefined ? "" : `: ${dataReason}`}`, () => {
  it(
    "reads the messages of ibv_rc_pingpong as a reliable connection's",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "tshark-"));
      const capture = join(folder, "capture.pcapng");
      const fabric = await PeerFabric.start(twoLevel({ hosts: 8 }));
      const end = await startCapture(fabric.dir, capture);
      // Two round trips of 3000 bytes in packets of 1024; events, since spinning programs leave the fabric little time.
      const { server, client } = await runPair("ibv_rc_pingpong", ["-e", "-n", "2", "-s", "3000", "-m", "1024"], {
        server: nodeOf(fabric.dir, "H1"),
        client: nodeOf(fabric.dir, "H5"),
      });
      expect([server.status, client.status]).toEqual([0, 0]);
      await end();
      await fabric.stop();
      const tshark = async (...args: readonly string[]) => {
        const { status, stdout } = await run("tshark", ["-n", "-r", capture, ...args], {});
        expect(status).toBe(0);
        return stdout.split("\n").filter((line) => line !== "");
      };
      expect(await tshark("-Y", "_ws.malformed || _ws.expert.severity >= 0x400000")).toEqual([]);
      const lengthsOf = async (opcode: number) =>
        new Set(await tshark("-Y", `infiniband.bth.opcode == ${opcode}`, "-T", "fields", "-e", "frame.len"));
      // LRH 8, BTH 12, payload, invariant CRC 4, variant CRC 2; SEND first, middle, last: 1024 + 1024 + 952.
      expect([await lengthsOf(0), await lengthsOf(1), await lengthsOf(2)]).toEqual([
        new Set(["1050"]),
        new Set(["1050"]),
        new Set(["978"]),
      ]);
      // An acknowledgement says ACK (0) and counts messages.
      const acknowledged = await tshark(
        "-Y",
        "infiniband.bth.opcode == 17",
        "-T",
        "fields",
        "-e",
        "infiniband.aeth.msn",
      );
      expect(new Set(acknowledged)).toEqual(new Set(["1", "2"]));
      rmSync(folder, { recursive: true });
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

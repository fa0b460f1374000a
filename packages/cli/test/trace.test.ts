/** `sim ctl trace` and `sim ctl send` as people use them. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningFabric, startFabric, twoLevel } from "@verbena/fabric-sim";
import { runFace } from "../src/face.js";
import { ask, type Run } from "./support/run.js";

const TIMEOUT_MS = 60_000;

describe("packets", () => {
  const folder = mkdtempSync(join(tmpdir(), "trace-"));
  let fabric: RunningFabric;
  beforeAll(async () => {
    fabric = await startFabric({ topology: twoLevel({ hosts: 8 }), dir: join(folder, "f") });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await fabric.close();
    rmSync(folder, { recursive: true });
  }, TIMEOUT_MS);

  const ctl = (...words: readonly string[]) => ask(["sim", "ctl", "--dir", fabric.dir, ...words]);
  const question = (...words: readonly string[]) => ctl("send", "--from", "H2", ...words);

  /** Traces from before `send` until the count is reached. */
  const traced = async (words: readonly string[], send: readonly string[]): Promise<Run> => {
    let [out, err] = ["", ""];
    let sent: Promise<Run> | undefined;
    const status = await runFace(["node", "verbena", "sim", "ctl", "trace", "--dir", fabric.dir, ...words], {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
        if (text === "tracing\n") sent = question(...send);
      },
    });
    await sent;
    return { status, out, err };
  };

  it(
    "shows the steps of a packet, and the answer to who waited",
    async () => {
      const { status, out } = await traced(["--node", "H1", "--count", "4"], ["--to", "H1", "--tid", "0x77"]);
      expect(status).toBe(0);
      const lines = out.trimEnd().split("\n");
      expect(lines.map((line) => line.slice(13, 43).trimEnd())).toEqual([
        "forward  L1[1] -> H1[1]",
        "deliver  H1[1]",
        "send     H1[1]",
        "forward  H1[1] -> L1[1]",
      ]);
      expect(lines[1]).toContain(
        "LID 4 H2[1] -> 1 H1[1]  SL 0  P_Key 0xffff  QP 1 -> 1  SA Get ClassPortInfo  TID 0x0000000000000077",
      );
      const answer = await question(
        "--to",
        "H1",
        "--attribute",
        "NodeRecord",
        "--mask",
        "1",
        "--data",
        "0004",
        "--wait",
        "30s",
      );
      expect(answer).toMatchObject({ status: 0, err: "" });
      expect(answer.out).toMatch(
        /^sent 284 bytes from H2\nSA GetResp NodeRecord {2}TID 0xfab0\d+ {2}ok\n {2}000 {2}0103 0281 /,
      );
    },
    TIMEOUT_MS,
  );

  it(
    "shows drops with their reason as JSON, and writes them down",
    async () => {
      const file = join(folder, "drops.pcapng");
      const { out } = await traced(["--drops", "--count", "1", "--json", "--pcap", file], ["--to", "999"]);
      expect(JSON.parse(out)).toMatchObject({
        event: "drop",
        port: "L1[2]",
        reason: "no-route",
        packet: { lrh: { dlid: 999 }, mad: { class: "SA", attribute: "ClassPortInfo" } },
      });
      const written = readFileSync(file);
      expect(written.readUInt32BE(0)).toBe(0x0a0d0d0a);
      expect(written.includes("no-route")).toBe(true);
    },
    TIMEOUT_MS,
  );

  it(
    "says that a capture cannot be written, once",
    async () => {
      const { status, err } = await traced(["--count", "3", "--pcap", "/dev/full"], ["--to", "H1"]);
      expect(status).toBe(1);
      expect(err).toMatch(/^tracing\nverbena: cannot use \/dev\/full: .*ENOSPC.* \[VERBENA_CLI_FILE\]\nhint: .*\n$/);
    },
    TIMEOUT_MS,
  );

  it(
    "ends when its time is over",
    async () => {
      expect(await traced(["--for", "1ms", "--class", "CM"], ["--to", "H1"])).toMatchObject({ status: 0, out: "" });
    },
    TIMEOUT_MS,
  );

  it(
    "fails when no answer comes",
    async () => {
      expect(await question("--to", "999", "--wait", "1ms")).toMatchObject({
        status: 1,
        err: "no answer within 1ms\n",
      });
      const json = await question("--to", "H1", "--wait", "30s", "--json");
      expect(JSON.parse(json.out)).toMatchObject({ mad: { method: "GetResp", statusText: "ok" } });
    },
    TIMEOUT_MS,
  );

  it.each([
    [["trace", "--event", "arrive"], 2, "--event takes send, forward, deliver, drop"],
    [["trace", "--port", "255"], 2, "--port takes a whole number from 0 to 254"],
    [["trace", "--node", "H99"], 1, "VERBENA_SIM_NODE_UNKNOWN"],
    [["trace", "--class", "SAM"], 1, "Did you mean SM?"],
    [["trace", "--pcap", "/nowhere/file"], 1, "VERBENA_CLI_FILE"],
    [["send", "--to", "H1"], 2, "--from"],
    [["send", "--from", "H2", "--to", "H1", "--qp", "0x1000000"], 2, "--qp takes a number"],
    [["send", "--from", "H2", "--to", "H1", "--hex", "01"], 1, "24 to 256 bytes"],
  ])(
    "%j says what is wrong",
    async (words, expected, said) => {
      const { status, err } = await ctl(...words);
      expect({ status, err }).toEqual({ status: expected, err: expect.stringContaining(said) as string });
    },
    TIMEOUT_MS,
  );

  it("wants a directory", async () => {
    const { status, err } = await ask(["sim", "ctl", "trace"]);
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining("sim ctl needs --dir") as string });
  });
});

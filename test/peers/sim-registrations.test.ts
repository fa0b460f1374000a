/**
 * Services and subscriptions: our built-in SA against OpenSM on ibsim. The same program makes the same requests on the same net, and the
 * answers must be the same to the byte; then `saquery` must print the same records from both.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { libfabricsimPath, SimControlClient, startFabric } from "@verbena/fabric-sim";
import { Ibsim, ibsimMissing } from "./ibsim.js";
import { missing, records, run } from "./sim-programs.js";

const NET = `
Switch 8 "S1"
[1] "H1"[1]
[2] "H2"[1]

Hca 1 "H1"
[1] "S1"[1]

Hca 1 "H2"
[1] "S1"[2]
`;
const reason = missing("saquery") ?? (ibsimMissing === "" ? undefined : `not installed: ${ibsimMissing}`);
const title = `services and subscriptions${reason === undefined ? "" : `: ${reason}`}`;

jest.setTimeout(120_000);

/** What a fabric answered to the program, and what saquery printed then. */
async function observe(env: NodeJS.ProcessEnv) {
  const hook = join(__dirname, "../../scripts/lib/typescript-hook.cjs");
  const program = join(__dirname, "sa-registrant.ts");
  const done = await run(process.execPath, ["--conditions=@verbena/source", "--require", hook, program], env);
  expect({ status: done.status, stderr: done.stderr }).toEqual({ status: 0, stderr: "" });
  const saquery = async (...args: readonly string[]) => {
    const { status, stdout } = await run("saquery", args, env);
    expect(status).toBe(0);
    return stdout;
  };
  return {
    answers: JSON.parse(done.stdout) as readonly (readonly [string, ...unknown[]])[],
    services: await saquery("SR"),
    trusted: await saquery("--smkey", "1", "SR"),
    subscriptions: await saquery("IIR"),
  };
}

async function onOpenSm() {
  const ibsim = await Ibsim.start(NET, "H1");
  try {
    return await observe(ibsim.environment("H2"));
  } finally {
    await ibsim.stop();
  }
}

async function onOurs() {
  const dir = mkdtempSync(join(tmpdir(), "sim-"));
  try {
    await using fabric = await startFabric({ topology: NET, dir: join(dir, "fabric"), smNode: "H1" });
    const library = libfabricsimPath();
    const seen = await observe({
      FABRICSIM_DIR: fabric.dir,
      FABRICSIM_NODE: "H2",
      VERBENA_LIBFABRICSIM: library,
      LD_PRELOAD: library,
    });
    await using control = await SimControlClient.connect(fabric.dir);
    return { ...seen, counters: await control.request({ op: "counters" }) };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

(reason === undefined ? describe : describe.skip)(title, () => {
  let theirs: Awaited<ReturnType<typeof onOpenSm>>;
  let ours: Awaited<ReturnType<typeof onOurs>>;

  beforeAll(async () => {
    [theirs, ours] = [await onOpenSm(), await onOurs()];
  });

  test("are answered as OpenSM answers", () => {
    expect(ours.answers).toEqual(theirs.answers);
    expect(ours.answers).toHaveLength(16);
  });

  test("are printed by saquery as OpenSM's", () => {
    expect(ours.services).toBe(theirs.services);
    expect(ours.trusted).toBe(theirs.trusted);
    expect(ours.subscriptions).toBe(theirs.subscriptions);
    expect(records(ours.services)).toMatchObject([{ ServiceName: "service 1" }]);
    expect(ours.subscriptions).toContain("InformInfoRecord dump");
  });
});

(missing("saquery") === undefined ? describe : describe.skip)("saquery with LMC 1 and two P_Keys", () => {
  test("prints four paths for a pair, in the partition that both ends are in", async () => {
    const dir = mkdtempSync(join(tmpdir(), "sim-"));
    try {
      const topology = NET.replace('Hca 1 "H2"', 'pkeys=0x8001,0xffff\nHca 1 "H2"');
      await using fabric = await startFabric({ topology, dir: join(dir, "fabric"), smNode: "H1", lmc: 1 });
      const env = { FABRICSIM_DIR: fabric.dir, FABRICSIM_NODE: "H1", LD_PRELOAD: libfabricsimPath() };
      const { stdout } = await run("saquery", ["PR"], env);
      const paths = records(stdout)
        .filter(({ slid, dlid }) => ["2", "3"].includes(slid ?? "") && ["4", "5"].includes(dlid ?? ""))
        .map(({ slid, dlid, pkey, preference }) => [slid, dlid, pkey, preference]);
      expect(paths).toEqual([
        ["2", "4", "0xFFFF", "0x0"],
        ["3", "5", "0xFFFF", "0x0"],
        ["2", "5", "0xFFFF", "0x2"],
        ["3", "4", "0xFFFF", "0x2"],
      ]);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

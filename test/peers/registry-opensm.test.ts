/** The registry of provider `sa` on Debian's OpenSM: registered, found by another daemon, deleted, forgotten with the lease. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ControlClient } from "@verbena/core/client";
import { type RunningFabric, SimControlClient, startFabric, twoLevel } from "@verbena/fabric-sim";
import { printed } from "./ibsim.js";
import { OpenSm } from "./opensm.js";
import { missing, records, runOnNode } from "./sim-programs.js";

const VERBENA = join(__dirname, "../../packages/cli/bin/verbena.js");
const reason = missing("opensm", "saquery");
const suite = reason === undefined ? describe : describe.skip;
const IP = "192.0.2.7";
const NAME = `verbena:ip:${IP}`;

jest.setTimeout(180_000);

suite(`names and IPs by ServiceRecord at OpenSM${reason === undefined ? "" : `: ${reason}`}`, () => {
  const base = mkdtempSync(join(tmpdir(), "reg-"));
  const daemons = new Map<string, ChildProcess>();
  let fabric: RunningFabric;
  let sim: SimControlClient;
  let opensm: OpenSm;

  const write = (name: string, text: string): string => {
    writeFileSync(join(base, name), text);
    return join(base, name);
  };
  const options = "{ registry: true, registryTtlMs: 1, registryLeaseMs: 10000 }";
  const config = write("verbena.yaml", `providers: [{ package: "@verbena/provider-sa", options: ${options} }]\n`);

  /** Ready means registered. */
  async function serve(node: string): Promise<ControlClient> {
    const socket = join(base, `${node}.sock`);
    const names = write(`${node}.names`, `${node} sim0 1 default\n`);
    const words = ["--node", node, "--socket", socket, "-A", names, "--config", config];
    const child = spawn(process.execPath, [VERBENA, "serve", "--fabric", fabric.dir, ...words], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    daemons.set(node, child);
    await printed(child, "ready");
    return new ControlClient({ path: `${socket}.ctl` });
  }

  async function stop(node: string, signal: NodeJS.Signals): Promise<void> {
    const child = daemons.get(node);
    daemons.delete(node);
    if (child === undefined) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  const registered = async () =>
    records((await runOnNode(fabric.dir, "H4", "saquery", "SR")).stdout).filter(({ ServiceName }) =>
      ServiceName?.startsWith("verbena:"),
    );
  const lidFrom = async (control: ControlClient, destination: string): Promise<number | undefined> =>
    (await control.resolve({ destination })).paths[0]?.dlid;
  const lid = async (node: string): Promise<number | undefined> =>
    (await sim.request({ op: "status" })).nodes.find(({ id }) => id === node)?.ports[0]?.lid;

  beforeAll(async () => {
    const addressesFile = write("addresses", `H2 192.0.2.2/24\nH3 192.0.2.3/24\nH3 ${IP}/24\n`);
    fabric = await startFabric({
      topology: twoLevel({ hosts: 4 }),
      dir: join(base, "fabric"),
      sm: "opensm",
      addressesFile,
    });
    sim = await SimControlClient.connect(fabric.dir);
    opensm = await OpenSm.up({ fabric: fabric.dir, node: "H1" });
  });

  afterAll(async () => {
    for (const node of [...daemons.keys()]) await stop(node, "SIGKILL");
    await opensm.stop();
    await sim.close();
    await fabric.close();
    rmSync(base, { recursive: true, force: true });
  });

  it("are registered, found, deleted at an orderly end, and forgotten one lease after a host that vanished", async () => {
    await using h2 = await serve("H2");
    {
      await using h3 = await serve("H3");
      expect((await registered()).map(({ ServiceName }) => ServiceName).sort()).toEqual(
        ["verbena:ip:192.0.2.2", "verbena:ip:192.0.2.3", NAME, "verbena:name:h2", "verbena:name:h3"].sort(),
      );
      expect((await registered()).find(({ ServiceName }) => ServiceName === NAME)).toMatchObject({
        ServiceID: "0x025652a557973a7c",
        ServiceP_Key: "0xFFFF",
        ServiceLease: "0xA",
      });
      expect(await lidFrom(h2, IP)).toBe(await lid("H3"));
      expect(await lidFrom(h2, "h3")).toBe(await lid("H3"));
      expect(await lidFrom(h3, "h2")).toBe(await lid("H2"));
    }
    await stop("H3", "SIGTERM");
    expect((await registered()).map(({ ServiceName }) => ServiceName)).not.toContain(NAME);
    await expect(h2.resolve({ destination: IP })).rejects.toMatchObject({ code: "VERBENA_RESOLVE_NO_DATA" });

    await (await serve("H3")).close();
    await stop("H3", "SIGKILL");
    const died = Date.now();
    const names = async () => (await registered()).map(({ ServiceName }) => ServiceName);
    expect(await names()).toContain(NAME);
    // The lease is the SA's to keep; it is looked at until it is over, and H2 goes on renewing its own.
    while ((await names()).includes(NAME)) expect(Date.now() - died).toBeLessThan(60_000);
    expect(Date.now() - died).toBeGreaterThan(5_000);
    expect(await names()).toContain("verbena:ip:192.0.2.2");
  });
});

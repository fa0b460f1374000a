import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SimControlClient } from "../src/control/sim-control-client.js";
import { type FabricOptions, type RunningFabric, startFabric } from "../src/process/start-fabric.js";
import { startFabricThread } from "../src/process/start-fabric-thread.js";
import { twoLevel } from "../src/topology/generate.js";
import { rejectionOf } from "./failure-of.js";
import { removeTempDirs, tempDir } from "./temp-dir.js";

// From source a thread compiles the package first.
jest.setTimeout(60_000);

afterEach(removeTempDirs);

const start: readonly (readonly [string, (options: FabricOptions) => Promise<RunningFabric>])[] = [
  ["startFabric", startFabric],
  ["startFabricThread", startFabricThread],
];

describe.each(start)("%s", (_name, startIt) => {
  it("listens when it resolves and leaves nothing behind when closed", async () => {
    const dir = join(tempDir(), "fabric");
    const messages: string[] = [];
    const logger = { info: (_facts: object, message: string) => messages.push(message), warn: () => undefined };
    const fabric = await startIt({ topology: twoLevel({ hosts: 4 }), dir, logger });
    expect(fabric.dir).toBe(dir);
    expect(fabric.topology.nodes).toHaveLength(5);
    expect(existsSync(join(dir, "fabric.sock"))).toBe(true);
    const client = await SimControlClient.connect(dir);
    expect((await client.request({ op: "status" })).counts).toMatchObject({ hosts: 4, switches: 1, links: 4 });
    await client.close();
    await Promise.all([fabric.close(), fabric.close()]);
    expect(readdirSync(dir)).toEqual([]);
    expect(messages).toContain("fabric is ready");
  });

  it("rejects with the code of what is wrong, found before or after it has begun", async () => {
    const dir = tempDir();
    const text = 'Hca 1 "H1"\n[1] "S1"[1]\n';
    expect((await rejectionOf(startIt({ topology: text, dir }))).code).toBe("VERBENA_SIM_TOPOLOGY_LINK");
    const late = await rejectionOf(startIt({ topology: twoLevel({ hosts: 2 }), dir, smNode: "L1" }));
    expect(late.code).toBe("VERBENA_SIM_SM_NODE");
    expect(late.hint).toContain("--sm-node");
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe("startFabric", () => {
  it.each([
    ["a file that is not there", { topology: "/nowhere/none.net" }, "VERBENA_SIM_FILE"],
    ["a directory under /run", { dir: "/run/verbena-test" }, "VERBENA_SIM_DIR"],
    ["a directory with a long name", { dir: `/tmp/${"x".repeat(100)}` }, "VERBENA_SIM_SOCKET_PATH"],
    ["an LMC that does not exist", { lmc: 8 }, "VERBENA_SIM_OPTION"],
    ["an option it does not have", { smnode: "H1" }, "VERBENA_SIM_OPTION"],
    ["a manager on an unknown node", { smNode: "H9" }, "VERBENA_SIM_NODE_UNKNOWN"],
  ])("refuses %s", async (_name, options, code) => {
    const error = await rejectionOf(startFabric({ topology: twoLevel({ hosts: 2 }), dir: tempDir(), ...options }));
    expect(error.code).toBe(code);
  });

  it("refuses a directory in which a fabric runs, and takes over what a dead one left", async () => {
    const dir = tempDir();
    const topology = twoLevel({ hosts: 2 });
    const first = await startFabric({ topology, dir });
    await expect(startFabric({ topology, dir })).rejects.toMatchObject({ code: "VERBENA_SIM_DIR_BUSY" });
    await first.close();
    writeFileSync(join(dir, "control.sock"), "");
    const second = await startFabric({ topology, dir });
    await second.close();
  });

  it("names file and line of a bad addresses file", async () => {
    const dir = tempDir();
    const topology = twoLevel({ hosts: 2 });
    const addressesFile = join(dir, "addresses");
    for (const [text, code, place] of [
      ["# none\nH1[1] 10.0.0.1\n", "VERBENA_SIM_ADDRESS_SYNTAX", 2],
      ["H1[1] 10.0.0.1/24\nH2 10.0.0.1/24\n", "VERBENA_SIM_ADDRESS_DUPLICATE", 2],
      ["H9 10.0.0.1/24\n", "VERBENA_SIM_ADDRESS_SYNTAX", 1],
      ["H1 10.0.0.1/24 0x8001\n", "VERBENA_SIM_ADDRESS_SYNTAX", 1],
    ] as const) {
      writeFileSync(addressesFile, text);
      const error = await rejectionOf(startFabric({ topology, dir: join(dir, "f"), addressesFile }));
      expect(error.code).toBe(code);
      expect(error.message).toContain(`${addressesFile}:${place}`);
    }
  });
});

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SimControlClient } from "../src/control/sim-control-client.js";
import { type FabricOptions, type RunningFabric, startFabric } from "../src/process/start-fabric.js";
import { startFabricThread } from "../src/process/start-fabric-thread.js";
import { twoLevel } from "../src/topology/generate.js";
import { rejectionOf } from "./failure-of.js";
import { removeTempDirs, tempDir } from "./temp-dir.js";

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

  it("rejects with the code of what is wrong", async () => {
    const dir = tempDir();
    await expect(startIt({ topology: 'Hca 1 "H1"\n[1] "S1"[1]\n', dir })).rejects.toMatchObject({
      code: "VERBENA_SIM_TOPOLOGY_LINK",
    });
    await expect(startIt({ topology: join(dir, "none.net"), dir })).rejects.toMatchObject({ code: "VERBENA_SIM_FILE" });
    const topology = twoLevel({ hosts: 2 });
    await expect(startIt({ topology, dir: "/run/verbena-test" })).rejects.toMatchObject({ code: "VERBENA_SIM_DIR" });
    await expect(startIt({ topology, dir: join(dir, "x".repeat(100)) })).rejects.toMatchObject({
      code: "VERBENA_SIM_SOCKET_PATH",
    });
    await expect(startIt({ topology, dir, smNode: "L1" })).rejects.toMatchObject({ code: "VERBENA_SIM_SM_NODE" });
    await expect(startIt({ topology, dir, lmc: 8 })).rejects.toMatchObject({ code: "VERBENA_SIM_OPTION" });
    expect(readdirSync(dir)).toEqual([]);
  });

  it("refuses a directory in which a fabric runs, and takes over what a dead one left", async () => {
    const dir = tempDir();
    const topology = twoLevel({ hosts: 2 });
    const first = await startIt({ topology, dir });
    await expect(startIt({ topology, dir })).rejects.toMatchObject({ code: "VERBENA_SIM_DIR_BUSY" });
    await first.close();
    writeFileSync(join(dir, "control.sock"), "");
    const second = await startIt({ topology, dir });
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
      const error = await rejectionOf(startIt({ topology, dir: join(dir, "f"), addressesFile }));
      expect(error.code).toBe(code);
      expect(error.message).toContain(`${addressesFile}:${place}`);
    }
  });
});

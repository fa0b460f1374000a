import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FabricManagement, type RunningFabric, startFabric, type Topology } from "@verbena/fabric-sim";
import { type Run, runOnNode } from "./sim-programs.js";

/** Our simulated fabric in a folder of its own, for programs of others. */
export class PeerFabric {
  private constructor(
    readonly dir: string,
    private readonly fabric: RunningFabric,
    private readonly folder: string,
  ) {}

  static async start(topology: Topology | string, sm: FabricManagement = "builtin", seed = 1): Promise<PeerFabric> {
    const folder = mkdtempSync(join(tmpdir(), "sim-"));
    const fabric = await startFabric({ topology, dir: join(folder, "fabric"), sm, seed });
    return new PeerFabric(fabric.dir, fabric, folder);
  }

  /** Runs a program on a node. */
  run(node: string, program: string, ...args: readonly string[]): Promise<Run> {
    return runOnNode(this.dir, node, program, ...args);
  }

  async stop(): Promise<void> {
    await this.fabric.close();
    rmSync(this.folder, { recursive: true });
  }
}

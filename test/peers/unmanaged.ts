import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type FabricStatus,
  type RunningFabric,
  SimControlClient,
  startFabric,
  type Topology,
} from "@verbena/fabric-sim";
import { Lid } from "@verbena/ib";

/** A fabric without a manager, and a connection to it. */
export class Unmanaged {
  private constructor(
    readonly base: string,
    readonly fabric: RunningFabric,
    readonly control: SimControlClient,
  ) {}

  static async start(topology: Topology): Promise<Unmanaged> {
    const base = mkdtempSync(join(tmpdir(), "osm-"));
    const fabric = await startFabric({ topology, dir: join(base, "fabric"), sm: "opensm" });
    return new Unmanaged(base, fabric, await SimControlClient.connect(fabric.dir));
  }

  get dir(): string {
    return this.fabric.dir;
  }

  status(): Promise<FabricStatus> {
    return this.control.request({ op: "status" });
  }

  async lid(node: string): Promise<Lid> {
    const { nodes } = await this.status();
    return Lid.from(nodes.find(({ id }) => id === node)?.ports[0]?.lid ?? 0);
  }

  /** LID as smpquery and its kind want it. */
  async lidText(node: string): Promise<string> {
    return String(await this.lid(node));
  }

  async stop(): Promise<void> {
    await this.control.close();
    await this.fabric.close();
    rmSync(this.base, { recursive: true, force: true });
  }
}

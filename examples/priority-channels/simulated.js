import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { libfabricsimPath, startFabricThread, twoLevel } from "@verbena/fabric-sim";

/** A fabric of this program's own: options to join it with, and what ends it. */
export async function startFabric() {
  const parent = mkdtempSync(join(tmpdir(), "priority-channels-"));
  const fabric = await startFabricThread({ topology: twoLevel({ hosts: 2 }), dir: join(parent, "fabric") });
  return {
    options: { fabric: { dir: fabric.dir, node: "H1", library: libfabricsimPath() } },
    close: async () => {
      await fabric.close();
      rmSync(parent, { recursive: true });
    },
  };
}

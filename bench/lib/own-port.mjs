import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);

/** GUID and LID of the port of `H1` of the fabric in `dir`. */
export async function ownPort(dir) {
  const { SimControlClient } = require("@verbena/fabric-sim");
  const sim = await SimControlClient.connect(join(dir, "fabric"));
  const { nodes } = await sim.request({ op: "status" });
  await sim.close();
  const { guid, lid } = nodes.find(({ id }) => id === "H1").ports[0];
  return { guid: BigInt(guid), lid };
}

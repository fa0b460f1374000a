/** The control socket of a fabric that OpenSM is to manage. */
import { join } from "node:path";
import type { ControlRequest } from "../src/control/protocol.js";
import { SimControlClient } from "../src/control/sim-control-client.js";
import { startFabric } from "../src/process/start-fabric.js";
import { twoLevel } from "../src/topology/generate.js";
import { rejectionOf } from "./failure-of.js";
import { removeTempDirs, tempDir } from "./temp-dir.js";

afterEach(removeTempDirs);

it("shows that there is no manager, takes links down, and refuses what the built-in one would do", async () => {
  await using fabric = await startFabric({ topology: twoLevel({ hosts: 4 }), dir: join(tempDir(), "f"), sm: "opensm" });
  const client = await SimControlClient.connect(fabric.dir);
  const status = await client.request({ op: "status" });
  expect(status).toMatchObject({ management: "opensm", sm: { end: "", lid: 0 }, counts: { multicastGroups: 0 } });
  const { ports } = await client.request({ op: "link", action: "down", end: "H1" });
  expect(ports.map(({ end, state }) => [end, state])).toEqual([["H1[1]", "down"]]);
  expect((await client.request({ op: "link", action: "up", end: "H1" })).ports[0]?.state).toBe("init");
  const requests: readonly ControlRequest[] = [
    { op: "sa", mode: "busy" },
    { op: "sm", action: "sweep" },
    { op: "lid", action: "change", end: "H1" },
  ];
  for (const request of requests) {
    expect(await rejectionOf(client.request(request))).toMatchObject({ code: "VERBENA_SIM_MANAGEMENT" });
  }
  await client.close();
});

/** A fabric whose time is scaled takes its daemons with it. */
import { Cluster } from "./support/cluster.js";

const TIMEOUT_MS = 120_000;

it(
  "time-outs of twenty minutes, and as much of a path's life, pass in two seconds",
  async () => {
    await using cluster = await Cluster.start({ hosts: 3, timeScale: 600 });
    const config = cluster.write(
      "scaled.yaml",
      "caches: { route: { ttlMs: 7200000 } }\nsa: { timeoutMs: 600000, retries: 1 }\nresolver: { deadlineMs: 3600000 }\n",
    );
    await using daemon = await cluster.serve("H1", ["--config", config], { names: ["node1"] });
    const { control } = daemon;
    const leftMs = async () => {
      const { entries } = await control.cache();
      return entries.find(({ cache, state }) => cache === "route" && state === "positive")?.expiresInMs ?? 0;
    };
    await control.resolve({ destination: cluster.gid("H2") });
    const before = await leftMs();
    await cluster.sim.request({ op: "sa", mode: "silent" });
    await expect(control.resolve({ destination: cluster.gid("H3") })).rejects.toMatchObject({
      code: "VERBENA_RESOLVE_TIMEOUT",
    });
    // Two tries of ten minutes, and no waiting for the deadline an hour away.
    const passedMs = before - (await leftMs());
    expect(passedMs).toBeGreaterThanOrEqual(1_190_000);
    expect(passedMs).toBeLessThan(3_600_000);
  },
  TIMEOUT_MS,
);

/** A fabric whose time is scaled takes its daemons with it. */
import { setImmediate } from "node:timers/promises";
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

it(
  "a LID that changes on a host that stays up is followed after ten minutes, though nothing announces it",
  async () => {
    await using cluster = await Cluster.start({ hosts: 3, timeScale: 600 });
    const config = cluster.write("defaults.yaml", "sa: { timeoutMs: 600000 }\n");
    await using daemon = await cluster.serve("H1", ["--config", config], { names: ["node1"] });
    const { control } = daemon;
    while ((await control.stats()).sa?.[0]?.notices !== "subscribed") await setImmediate();
    const reports = async () => (await cluster.sim.request({ op: "counters" })).reports;
    const none = await reports();
    const lid = async () => (await control.resolve({ destination: cluster.gid("H2") })).paths[0]?.dlid;
    const before = await lid();
    expect(before).toBe(cluster.lid("H2"));
    const moved = await cluster.sim.request({ op: "lid", action: "change", end: "H2" });
    let answer = before;
    while (answer === before) {
      await setImmediate();
      answer = await lid();
    }
    expect(answer).toBe(moved.port.lid);
    expect(await reports()).toEqual(none);
  },
  TIMEOUT_MS,
);

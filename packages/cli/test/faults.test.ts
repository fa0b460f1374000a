/** A daemon on a fabric where things go wrong: dead destinations, a busy and a silent SA, a link that goes down and comes back. */
import { setImmediate } from "node:timers/promises";
import type { ChangeJson, ControlClient } from "@verbena/core/client";
import { Cluster } from "./support/cluster.js";
import { Packages } from "./support/packages.js";
import { ask } from "./support/run.js";
import type { Served } from "./support/serve.js";

const TIMEOUT_MS = 120_000;
const HOSTS = 102;

/** Knows nothing, and for the name `dead` never says so. */
const MUTE_PROVIDER = `
import { defineProvider } from "@verbena/core/sdk";
const session = {
  state: "ready",
  onState: () => () => {},
  address: { resolveAddress: (to) => to.name === "dead" ? new Promise(() => {}) : Promise.resolve(undefined) },
  addAddress: async () => {},
  removeAddress: async () => {},
  counters: () => ({}),
  [Symbol.asyncDispose]: async () => {},
};
const port = { openEndpoint: async () => session, [Symbol.asyncDispose]: async () => {} };
export default defineProvider({
  manifest: { name: "mute", version: "1.0.0", sdk: "^1.0", roles: ["address"] },
  provider: () => ({ openPort: async () => port, [Symbol.asyncDispose]: async () => {} }),
});
`;

describe("faults", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start({ hosts: HOSTS });
    new Packages(cluster.dir).write("verbena-provider-mute", MUTE_PROVIDER);
  }, TIMEOUT_MS);
  afterEach(() => cluster.sim.request({ op: "sa", mode: "normal" }), TIMEOUT_MS);
  afterAll(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);

  const serve = (node: string, yaml: string): Promise<Served> =>
    cluster.serve(node, ["--config", cluster.write(`${node}.yaml`, yaml)]);

  const lidFrom = async (control: ControlClient, destination: string): Promise<number | undefined> =>
    (await control.resolve({ destination })).paths[0]?.dlid;

  it(
    "a dead destination does not hold up a hundred live ones asked for at the same time",
    async () => {
      await using daemon = await serve(
        "H1",
        "providers: [{ package: verbena-provider-mute }, { package: '@verbena/provider-sa' }]\nchains: { address: [mute, sa], route: [sa] }\n",
      );
      const { control } = daemon;
      const order: string[] = [];
      const dead = control
        .resolve({ destination: "dead", deadlineMs: 30_000 })
        .catch((error: unknown) => error)
        .finally(() => order.push("dead"));
      const live = await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const n = index + 2;
          const lid = await lidFrom(control, `node${n}`);
          order.push(`node${n}`);
          return [lid, cluster.lid(`H${n}`)];
        }),
      );
      // All are here, and the dead one is still being waited for.
      expect(order).toHaveLength(100);
      for (const [lid, expected] of live) expect(lid).toBe(expected);
      await daemon.child.stop();
      await dead;
      expect(order.at(-1)).toBe("dead");
    },
    TIMEOUT_MS,
  );

  it(
    "an SA that is busy for five seconds delays answers; none is wrong, none is cached wrong",
    async () => {
      await using daemon = await serve("H2", "sa: { timeoutMs: 10000 }\n");
      const { control } = daemon;
      await lidFrom(control, "node3");
      await cluster.sim.request({ op: "sa", mode: "busy", durationMs: 5000 });
      const wanted = Array.from({ length: 30 }, (_, index) => index + 4);
      const lids = await Promise.all(wanted.map((n) => lidFrom(control, `node${n}`)));
      expect(lids).toEqual(wanted.map((n) => cluster.lid(`H${n}`)));
      expect((await cluster.sim.request({ op: "counters" })).saBusy).toBeGreaterThan(0);
      const { entries } = await control.cache();
      expect(entries.filter(({ state }) => state !== "positive")).toEqual([]);
      // From the cache, and right.
      const again = await Promise.all(wanted.map((n) => control.resolve({ destination: `node${n}`, noDelay: true })));
      expect(again.map(({ paths }) => paths[0]?.dlid)).toEqual(lids);
    },
    TIMEOUT_MS,
  );

  it(
    "follows the SA's notices: a host that leaves takes its paths along, and is found when it is back",
    async () => {
      await using daemon = await serve("H8", "sa: { timeoutMs: 10000 }\nchains: { address: [sa], route: [sa] }\n");
      const { control } = daemon;
      expect([await lidFrom(control, "node9"), await lidFrom(control, "node10")]).toEqual([
        cluster.lid("H9"),
        cluster.lid("H10"),
      ]);
      while ((await control.stats()).sa?.[0]?.notices !== "subscribed") await setImmediate();
      const changes = control.watch();
      const heard = async (event: string): Promise<void> => {
        for await (const change of { [Symbol.asyncIterator]: () => ({ next: () => changes.next() }) }) {
          if (change.type === "notice" && change["event"] === event) return;
        }
      };
      await changes.next();
      await cluster.sim.request({ op: "link", action: "down", end: "H9" });
      await heard("gid-out");
      await expect(lidFrom(control, "node9")).rejects.toMatchObject({ code: "VERBENA_RESOLVE_NO_DATA" });
      await cluster.sim.request({ op: "link", action: "up", end: "H9" });
      await heard("gid-in");
      expect(await lidFrom(control, "node9")).toBe(cluster.lid("H9"));
      await changes.return(undefined);
    },
    TIMEOUT_MS,
  );

  it(
    "an SA that answers after one and a half time-outs is slow, not silent",
    async () => {
      await using daemon = await serve("H6", "sa: { timeoutMs: 2000, retries: 2 }\n");
      await lidFrom(daemon.control, "node7");
      await cluster.sim.request({ op: "sa", mode: "slow" });
      expect(await lidFrom(daemon.control, "node8")).toBe(cluster.lid("H8"));
    },
    TIMEOUT_MS,
  );

  it(
    "a silent SA is a coded time-out at the deadline and a negative entry",
    async () => {
      await using daemon = await serve(
        "H3",
        "sa: { timeoutMs: 1000, retries: 1 }\nresolver: { deadlineMs: 2500 }\ncaches: { negativeTtlMs: 600000 }\n",
      );
      await lidFrom(daemon.control, "node4");
      await cluster.sim.request({ op: "sa", mode: "silent" });
      const words = ["resolve", "node5", "--socket", daemon.socket];
      const { status, err } = await ask(words);
      expect(err).toMatch(/\[VERBENA_RESOLVE_TIMEOUT\]\nhint: /);
      expect(status).toBe(1);
      const { entries } = await daemon.control.cache();
      expect(entries.filter(({ state }) => state === "negative")).toMatchObject([{ cache: "route" }]);
      // The entry answers: the SA is not asked again.
      const asked = async (): Promise<number> => (await cluster.sim.request({ op: "counters" })).saUnanswered;
      const before = await asked();
      expect((await ask([...words, "--timeout", "60000"])).err).toContain("[VERBENA_RESOLVE_TIMEOUT]");
      expect(await asked()).toBe(before);
    },
    TIMEOUT_MS,
  );

  it(
    "resolves again by itself once the SA answers",
    async () => {
      await using daemon = await serve(
        "H4",
        "sa: { timeoutMs: 1000, retries: 1 }\nresolver: { deadlineMs: 2500 }\ncaches: { negativeTtlMs: 0 }\n",
      );
      await lidFrom(daemon.control, "node5");
      await cluster.sim.request({ op: "sa", mode: "silent" });
      await expect(lidFrom(daemon.control, "node6")).rejects.toMatchObject({ code: "VERBENA_RESOLVE_TIMEOUT" });
      await cluster.sim.request({ op: "sa", mode: "normal" });
      expect(await lidFrom(daemon.control, "node6")).toBe(cluster.lid("H6"));
    },
    TIMEOUT_MS,
  );

  it(
    "no stale path is served after the own port went down, and it comes back by itself",
    async () => {
      await using daemon = await serve("H5", "");
      const { control } = daemon;
      await lidFrom(control, "node6");
      const changes = control.watch();
      const until = async (isWanted: (change: ChangeJson) => boolean): Promise<void> => {
        for (;;) {
          const next = await changes.next();
          if (next.done === true) throw new Error("the watch has ended");
          if (isWanted(next.value)) return;
        }
      };
      await until(({ type }) => type === "watching");

      await cluster.sim.request({ op: "link", action: "down", end: "H5" });
      await until(({ type, event }) => type === "endpoint" && event === "removed");
      expect((await control.cache()).entries).toEqual([]);
      for (const noDelay of [true, false]) {
        const asked = control.resolve({ destination: "node6", noDelay });
        await expect(asked).rejects.toMatchObject({ code: "VERBENA_RESOLVE_NO_SOURCE" });
      }

      await cluster.sim.request({ op: "link", action: "up", end: "H5" });
      await until(({ type, state }) => type === "endpoint" && state === "ready");
      expect(await lidFrom(control, "node6")).toBe(cluster.lid("H6"));
      await changes.return(undefined);
    },
    TIMEOUT_MS,
  );
});

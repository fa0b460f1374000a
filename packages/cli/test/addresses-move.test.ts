/** IPv4 and IPv6 addresses that move from one host to another, followed by daemons with a registry, from files, and in the embedding API. */
import { copyFileSync } from "node:fs";
import { createResolver, type EngineChange } from "@verbena/core";
import type { ChangeJson, ControlClient } from "@verbena/core/client";
import { libfabricsimPath } from "@verbena/fabric-sim";
import { Cluster } from "./support/cluster.js";
import { ask } from "./support/run.js";
import type { Served } from "./support/serve.js";

const TIMEOUT_MS = 120_000;
const MOVING = ["192.0.2.7", "2001:db8::7"] as const;
const ADDRESSES = [
  "H1 192.0.2.1/24",
  "H1 2001:db8::1/64",
  "H2 192.0.2.2/24",
  "H2 2001:db8::2/64",
  "H3 192.0.2.3/24",
  ...MOVING.map((ip) => `H2 ${ip}/${ip.includes(":") ? 64 : 24}`),
];

/** Changes of a daemon as they come. */
async function watch(control: ControlClient) {
  const changes = control.watch();
  const until = async (wanted: Readonly<Record<string, string>>): Promise<ChangeJson> => {
    for (;;) {
      const next = await changes.next();
      if (next.done === true) throw new Error("the watch has ended");
      if (Object.entries(wanted).every(([name, value]) => next.value[name] === value)) return next.value;
    }
  };
  await until({ type: "watching" });
  return { until, close: () => changes.return(undefined) };
}

describe("addresses that move", () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await Cluster.start({ hosts: 4, addresses: ADDRESSES, isThread: true });
  }, TIMEOUT_MS);
  afterEach(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);

  const yaml = (ttlMs: number, more = ""): string =>
    `daemon: { logLevel: 2 }\nproviders:\n  - package: "@verbena/provider-sa"\n    options: { registry: true, registryTtlMs: ${ttlMs} }\n${more}`;
  const serve = (node: string, text = yaml(1)): Promise<Served> =>
    cluster.serve(node, ["--config", cluster.write(`${node}.yaml`, text)]);
  /** Waits until the daemon has registered all of these, in whatever order. */
  const registered = async ({ logged }: Served, ...names: readonly string[]): Promise<void> => {
    const missing = new Set(names.map((name) => `verbena:${name}`));
    while (missing.size > 0) {
      const line = await logged(/an address is registered/);
      missing.delete((JSON.parse(line) as { readonly serviceName: string }).serviceName);
    }
  };
  const lidFrom = async ({ control }: Served, destination: string): Promise<number | undefined> =>
    (await control.resolve({ destination })).paths[0]?.dlid;
  const move = async (ip: string, node: string): Promise<void> => {
    const { status, err } = await ask(["sim", "ctl", "--dir", cluster.fabric, "addr", "move", ip, node]);
    expect({ status, err }).toEqual({ status: 0, err: "" });
  };

  it(
    "are found by the daemons of other hosts without a hosts file, and followed when they move",
    async () => {
      const [h1, h2, h3] = [await serve("H1"), await serve("H2"), await serve("H3")];
      await registered(h2, "ip:192.0.2.7", "ip:2001:db8::7", "name:h2");
      const [at1, at2, at3] = [await watch(h1.control), await watch(h2.control), await watch(h3.control)];
      expect(await lidFrom(h1, "h2")).toBe(cluster.lid("H2"));
      for (const ip of MOVING) {
        expect(await lidFrom(h1, ip)).toBe(cluster.lid("H2"));
        await move(ip, "H3");
        await at2.until({ type: "address", event: "removed", endpoint: "sim0/1/0xffff" });
        await at3.until({ type: "address", event: "added", endpoint: "sim0/1/0xffff", address: ip });
        await registered(h3, `ip:${ip}`);
        expect(await lidFrom(h1, ip)).toBe(cluster.lid("H3"));
        expect(await at1.until({ type: "moved", destination: ip })).toEqual({
          type: "moved",
          endpoint: "sim0/1/0xffff",
          destination: ip,
          from: cluster.gid("H2"),
          to: cluster.gid("H3"),
        });
        // The former owner asks like anybody else, the new one knows it for its own.
        expect(await lidFrom(h2, ip)).toBe(cluster.lid("H3"));
        expect((await h3.control.resolve({ destination: ip })).provenance.route.from).toBe("local");
      }
      // A daemon that ends takes its registrations along.
      await h3.child.stop();
      for (const ip of MOVING) {
        await expect(h1.control.resolve({ destination: ip })).rejects.toMatchObject({
          code: "VERBENA_RESOLVE_NO_DATA",
        });
      }
      for (const one of [at1, at2, at3]) await one.close();
    },
    TIMEOUT_MS,
  );

  it(
    "stay registered when the daemon that has them reads its files again",
    async () => {
      const hosts = cluster.writeHosts("H2.hosts", { "192.0.2.99": "H4" });
      const [h1, h2] = [await serve("H1"), await serve("H2", yaml(1, `files: { hosts: ${hosts} }\n`))];
      await registered(h2, "ip:192.0.2.7");
      cluster.writeHosts("H2.hosts", { "192.0.2.98": "H4" });
      expect(await h2.control.reload()).toMatchObject({ applied: ["preload"] });
      expect(await lidFrom(h1, "192.0.2.7")).toBe(cluster.lid("H2"));
    },
    TIMEOUT_MS,
  );

  it(
    "are followed when the preload file is written anew and read again, and the watch goes on",
    async () => {
      const write = (node: string): string => cluster.writeHosts("hosts", { [MOVING[0]]: node, [MOVING[1]]: node });
      const h1 = await serve("H1", `files: { hosts: ${write("H2")} }\n`);
      const changes = await watch(h1.control);
      for (const ip of MOVING) expect(await lidFrom(h1, ip)).toBe(cluster.lid("H2"));
      write("H3");
      await h1.control.reload();
      await changes.until({ type: "flushed" });
      for (const ip of MOVING) expect(await lidFrom(h1, ip)).toBe(cluster.lid("H3"));
      await changes.close();
    },
    TIMEOUT_MS,
  );

  it(
    "are followed by an embedded resolver one time to live later, not before",
    async () => {
      const [h2, h3] = [await serve("H2"), await serve("H3")];
      await registered(h2, "ip:192.0.2.7", "ip:2001:db8::7");
      // A process joins one fabric for life: a copy of the library is one that nobody here has used.
      const library = cluster.path("libfabricsim.so");
      copyFileSync(libfabricsimPath(), library);
      let skippedMs = 0;
      const clock = {
        now: () => skippedMs,
        schedule: (delayMs: number, callback: () => void) => {
          const timer = setTimeout(callback, delayMs);
          return () => {
            clearTimeout(timer);
          };
        },
      };
      const ttlMs = 60_000;
      await using resolver = await createResolver({
        fabric: { dir: cluster.fabric, node: "H1", library },
        config: {
          caches: { refreshShare: 0 },
          providers: [{ package: "@verbena/provider-sa", options: { registry: true, registryTtlMs: ttlMs } }],
        },
        clock,
      });
      const changes: AsyncIterator<EngineChange> = resolver.changes();
      for (const ip of MOVING) {
        const dlid = async (): Promise<number | undefined> => (await resolver.resolve(ip)).paths[0]?.dlid;
        expect(await dlid()).toBe(cluster.lid("H2"));
        await move(ip, "H3");
        await registered(h3, `ip:${ip}`);
        skippedMs += ttlMs - 1;
        expect(await dlid()).toBe(cluster.lid("H2"));
        skippedMs += 1;
        expect(await dlid()).toBe(cluster.lid("H3"));
        for (;;) {
          const { value } = (await changes.next()) as { value: EngineChange };
          if (value.type !== "moved") continue;
          expect(value).toMatchObject({ destination: ip, from: cluster.gid("H2"), to: cluster.gid("H3") });
          break;
        }
      }
    },
    TIMEOUT_MS,
  );
});

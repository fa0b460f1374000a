import { check, PORT } from "../../../../test/support/fake-probe.js";
import { devices } from "./devices.js";
import { kernel } from "./kernel.js";
import { libraries } from "./libraries.js";
import { partitions } from "./partitions.js";
import { ports } from "./ports.js";
import { subnetAdministrator } from "./subnet-administrator.js";

const missing = { available: false, reason: "no such file", hint: "Install it." } as const;
const present = { available: true, path: "/lib/x.so" } as const;

const onPorts = (...changed: readonly object[]) => ({
  devices: [{ name: "mlx5_0", via: "verbs" as const, ports: changed.map((change) => ({ ...PORT, ...change })) }],
});

describe("libraries", () => {
  it("names files and versions", async () => {
    expect(await check(libraries)).toEqual([
      { verdict: "ok", subject: "native addon", seen: "/opt/verbena_native.node" },
      { verdict: "ok", subject: "libibverbs", seen: "/usr/lib/libibverbs.so.1.14.44.0 (1.14.44.0)" },
      { verdict: "ok", subject: "libibumad", seen: "/usr/lib/libibumad.so.3.2.44.0 (3.2.44.0)" },
    ]);
  });

  it("can do without libibverbs, not without libibumad", async () => {
    const verdicts = async (verbs: object, umad: object) =>
      (await check(libraries, { libraries: { addon: present, verbs, umad } as never })).map(({ verdict }) => verdict);
    expect(await verdicts(missing, present)).toEqual(["ok", "warn", "ok"]);
    expect(await verdicts(present, missing)).toEqual(["ok", "ok", "fail"]);
    expect(await verdicts(missing, missing)).toEqual(["ok", "fail", "fail"]);
  });

  it("says one thing when the addon is missing", async () => {
    expect(await check(libraries, { libraries: { addon: missing, verbs: missing, umad: missing } })).toEqual([
      { verdict: "fail", subject: "native addon", seen: "no such file", remedy: "Install it." },
    ]);
  });
});

describe("kernel", () => {
  it("names the modules to load", async () => {
    const seen = { core: ["mlx5_0"], verbs: true, umad: false, netlink: true, listeners: [] };
    expect(await check(kernel, { kernel: seen })).toEqual([
      expect.objectContaining({
        verdict: "fail",
        seen: "not loaded: ib_umad",
        remedy: expect.stringContaining("modprobe -a ib_umad"),
      }),
    ]);
    const none = { verbs: false, umad: false, netlink: false, listeners: [] };
    expect(await check(kernel, { kernel: none })).toMatchObject([{ verdict: "fail", seen: "no RDMA support loaded" }]);
  });
});

describe("devices", () => {
  it("fails where there is none, and says how to get one", async () => {
    expect(await check(devices, { devices: [] })).toMatchObject([
      { verdict: "fail", remedy: expect.stringContaining("npm start") },
    ]);
  });

  it("warns of a device that libibverbs may not open", async () => {
    const problem = { reason: "permission denied", hint: "Needs root." };
    const seen = [{ name: "mlx5_0", via: "umad" as const, problem, ports: [PORT] }];
    expect(await check(devices, { devices: seen })).toEqual([
      {
        verdict: "warn",
        subject: "mlx5_0",
        seen: "1 port; permission denied; changes are seen late",
        remedy: "Needs root.",
      },
    ]);
  });
});

describe("ports", () => {
  it.each([
    [{}, "ok", "active, InfiniBand, LID 5, SM LID 1, 200 Gb/s"],
    [{ state: "init" }, "fail", "no subnet manager has made it active"],
    [{ state: "down" }, "fail", "down, InfiniBand"],
    [{ smLid: 0 }, "fail", "a LID of 0 is none"],
  ])("%j is %s", async (change, verdict, seen) => {
    expect(await check(ports, onPorts(change))).toMatchObject([{ verdict, seen: expect.stringContaining(seen) }]);
  });

  it("takes a second port that is down for a warning only", async () => {
    expect(await check(ports, onPorts({}, { port: 2, state: "down" }))).toMatchObject([
      { verdict: "ok" },
      { verdict: "warn" },
    ]);
  });

  it("says that RoCE is not served, and that nothing is left then", async () => {
    const roce = { linkLayer: "ethernet", isInfiniBand: false };
    expect(await check(ports, onPorts(roce))).toMatchObject([
      { verdict: "skip", subject: "mlx5_0/1", seen: "active, ethernet (RoCE): not served" },
      { verdict: "fail", seen: expect.stringContaining("no InfiniBand port") },
    ]);
  });
});

describe("partitions", () => {
  it.each([
    [[0xffff, 0x8001], "ok", "0xffff (full), 0x8001 (full)"],
    [[0x7fff, 0x8001], "ok", "0x7fff (limited), 0x8001 (full)"],
    [[0x7fff], "warn", "two limited members cannot talk to each other"],
    [[0x8001], "warn", "not in the default partition"],
    [[0, 0], "fail", "the port is in no partition"],
  ])("of %j is %s", async (pkeys, verdict, seen) => {
    expect(await check(partitions, onPorts({ pkeys }))).toMatchObject([
      { verdict, seen: expect.stringContaining(seen) },
    ]);
  });
});

describe("subnet administrator", () => {
  const at = { device: "mlx5_0", port: 1, tookMs: 4000 } as const;
  it.each([
    [{ ...at, tookMs: 0.42, outcome: "answered" as const }, "ok", "answered in 0.4 ms"],
    [{ ...at, outcome: "silent" as const }, "fail", "no answer within 4000.0 ms"],
    [{ ...at, outcome: "refused" as const, status: 1 }, "warn", "status 0x0001"],
    [{ ...at, outcome: "problem" as const, problem: { reason: "permission denied" } }, "fail", "permission denied"],
  ])("%j", async (seen, verdict, text) => {
    expect(await check(subnetAdministrator, { sa: [seen] })).toMatchObject([
      { verdict, seen: expect.stringContaining(text) },
    ]);
  });

  it("is not asked where no port is active", async () => {
    expect(await check(subnetAdministrator, onPorts({ state: "down" }))).toMatchObject([{ verdict: "skip" }]);
  });
});

import { check, DAEMON, ENDPOINT, SA_PORT, STATUS } from "../../../../test/support/fake-probe.js";
import type { SocketSeen } from "../probe.js";
import { clientSocket } from "./client-socket.js";
import { controlSocket } from "./control-socket.js";
import { daemon } from "./daemon.js";
import { duplicateAddresses } from "./duplicate-addresses.js";
import { kernelService } from "./kernel-service.js";
import { lostFunctions } from "./lost-functions.js";
import { multicastGroups } from "./multicast-groups.js";
import { multicastPaths } from "./multicast-paths.js";
import { otherDaemon } from "./other-daemon.js";
import { rendezvous } from "./rendezvous.js";

const path = "/run/ibacm-unix.sock";
const ibacm: SocketSeen = { path, state: "listening", mode: "0777", pid: 7, command: "ibacm" };
const absent: SocketSeen = { path: `${path}.ctl`, state: "absent" };

describe("client socket", () => {
  it.each<readonly [SocketSeen, string, string]>([
    [{ path, state: "absent" }, "warn", "there is no such file"],
    [{ path, state: "stale", mode: "0777" }, "warn", "the file was left behind"],
    [{ path, state: "not-a-socket" }, "fail", "is no socket"],
    [{ path, state: "denied", mode: "0600" }, "fail", "permission denied (mode 0600)"],
    [ibacm, "ok", "ibacm (process 7) listens"],
    [{ ...ibacm, pid: 1, command: "systemd" }, "ok", "systemd, for a daemon that starts on demand listens"],
    [{ ...ibacm, mode: "0700" }, "warn", "some users cannot connect"],
  ])("%j is %s", async (seen, verdict, text) => {
    const found = await check(clientSocket, { clientSocket: seen, daemon: undefined });
    expect(found).toMatchObject([{ verdict, subject: path, seen: expect.stringContaining(text) }]);
    expect(found[0]?.remedy === undefined).toBe(verdict === "ok");
  });

  it("knows our own daemon", async () => {
    expect(await check(clientSocket)).toEqual([{ verdict: "ok", subject: path, seen: "verbena (process 42) listens" }]);
  });
});

describe("control socket", () => {
  it("says what a real ibacm does not offer", async () => {
    const found = await check(controlSocket, { clientSocket: ibacm, controlSocket: absent, daemon: undefined });
    expect(found).toMatchObject([{ verdict: "warn", seen: expect.stringContaining("not offered by ibacm") }]);
  });

  it("needs no daemon to be well", async () => {
    const none: SocketSeen = { path, state: "absent" };
    expect(await check(controlSocket, { clientSocket: none, controlSocket: absent })).toMatchObject([
      { verdict: "skip" },
    ]);
    expect(await check(controlSocket)).toMatchObject([{ verdict: "ok" }]);
  });

  it("tells who may not use it", async () => {
    const denied: SocketSeen = { path: `${path}.ctl`, state: "denied", mode: "0660" };
    expect(await check(controlSocket, { controlSocket: denied })).toMatchObject([
      { verdict: "warn", seen: "permission denied (mode 0660)" },
    ]);
  });
});

describe("rendezvous", () => {
  it("warns when librdmacm does not find the daemon", async () => {
    const name = { path: "/run/ibacm.sock", wanted: "ibacm-unix.sock" };
    expect(await check(rendezvous, { rendezvous: name })).toMatchObject([{ verdict: "warn" }]);
    expect(await check(rendezvous, { rendezvous: { ...name, target: "other.sock" } })).toMatchObject([
      { verdict: "warn" },
    ]);
    expect(await check(rendezvous)).toMatchObject([{ verdict: "ok", seen: "leads to ibacm-unix.sock" }]);
  });
});

describe("running daemon", () => {
  it("tells its endpoints, its ways to the SA and its warnings", async () => {
    const endpoints = [ENDPOINT, { ...ENDPOINT, key: "mlx5_0/1/0x8001", state: "failed" as const }];
    const sa = [{ ...SA_PORT, breaker: "open" as const, timeouts: 8, retryInMs: 750 }];
    const status = { ...STATUS, warnings: ["opts.cfg:4: unknown key colour"] };
    expect(await check(daemon, { daemon: { status, endpoints, sa } })).toMatchObject([
      { verdict: "ok", seen: "verbena 0.1.0, process 42, ready; providers: sa" },
      { verdict: "ok", subject: "mlx5_0/1/0xffff", seen: "ready, node1 192.0.2.1/24" },
      { verdict: "fail", subject: "mlx5_0/1/0x8001" },
      { verdict: "fail", seen: "the subnet administrator is silent (8 time-outs), asked again in 1 s" },
      { verdict: "warn", seen: "opts.cfg:4: unknown key colour" },
    ]);
  });

  it("fails without an endpoint", async () => {
    expect(await check(daemon, { daemon: { ...DAEMON, endpoints: [] } })).toMatchObject([{}, { verdict: "fail" }]);
  });
});

describe("lost functions", () => {
  it("are those the daemon names", async () => {
    const lost = { function: "subnet administrator of mlx5_0/1", reason: "permission denied", remedy: "Needs root." };
    const seen = { ...DAEMON, status: { ...STATUS, degraded: [lost] } };
    expect(await check(lostFunctions, { daemon: seen })).toEqual([
      { verdict: "fail", subject: lost.function, seen: lost.reason, remedy: lost.remedy },
    ]);
    expect(await check(lostFunctions)).toEqual([{ verdict: "ok", seen: "none" }]);
    expect(await check(lostFunctions, { daemon: undefined })).toMatchObject([{ verdict: "skip" }]);
  });
});

describe("kernel's path queries", () => {
  const kernel = { core: ["mlx5_0"], verbs: true, umad: true, netlink: true, listeners: [] as number[] };
  it("are answered by whoever listens on the group", async () => {
    expect(await check(kernelService)).toMatchObject([{ verdict: "ok", seen: "answered by the daemon" }]);
    expect(await check(kernelService, { kernel: { ...kernel, listeners: [7] } })).toMatchObject([
      { seen: "answered by process 7" },
    ]);
    expect(await check(kernelService, { kernel })).toMatchObject([
      { verdict: "warn", remedy: expect.stringContaining("CAP_NET_ADMIN") },
    ]);
    expect(await check(kernelService, { kernel, daemon: undefined })).toMatchObject([{ verdict: "ok" }]);
    const lost = {
      state: "lost",
      reason: "EPERM",
      remedy: "Be root.",
      timeoutMs: 2000,
      requests: 0,
      failures: 0,
    } as const;
    const status = { ...STATUS, kernelService: { ...lost, overruns: 0 } };
    expect(await check(kernelService, { kernel, daemon: { ...DAEMON, status } })).toMatchObject([
      { verdict: "warn", seen: expect.stringContaining("does not listen (EPERM)"), remedy: "Be root." },
    ]);
  });
});

describe("other daemons", () => {
  it("are a failure beside ours, a warning alone", async () => {
    expect(await check(otherDaemon, { processesNamed: [7] })).toMatchObject([
      {
        verdict: "fail",
        seen: "ibacm runs (process 7)",
        remedy: expect.stringContaining("disable --now ibacm.service"),
      },
    ]);
    expect(await check(otherDaemon, { processesNamed: [7], daemon: undefined })).toMatchObject([{ verdict: "warn" }]);
    expect(await check(otherDaemon, { units: { "ibacm.service": "failed" } })).toMatchObject([
      { verdict: "warn", seen: "failed" },
    ]);
    expect(await check(otherDaemon)).toMatchObject([{ verdict: "ok" }]);
  });

  it("are not ours under that name", async () => {
    expect(await check(otherDaemon, { processesNamed: [42] })).toMatchObject([{ verdict: "ok" }]);
  });
});

describe("addresses of two hosts", () => {
  const duplicate = { address: "192.0.2.9", first: "fe80::10:3", second: "fe80::10:4", ageMs: 90_000 };
  const seen = (duplicates: readonly (typeof duplicate)[]) => ({
    daemon: { ...DAEMON, endpoints: [{ ...ENDPOINT, duplicates }] },
  });

  it("are warned of, with who is used and who claims it too", async () => {
    expect(await check(duplicateAddresses, seen([duplicate]))).toEqual([
      {
        verdict: "warn",
        subject: "192.0.2.9",
        seen: "fe80::10:3 and fe80::10:4 both answer for it on mlx5_0/1/0xffff, last 2 min ago",
        remedy: "give each host an address of its own; until then fe80::10:3, which was first, is used",
      },
    ]);
  });

  it("are none, or not told of", async () => {
    expect(await check(duplicateAddresses, seen([]))).toEqual([{ verdict: "ok", seen: "none heard of" }]);
    expect(await check(duplicateAddresses)).toMatchObject([{ verdict: "skip", seen: "this daemon does not tell" }]);
    expect(await check(duplicateAddresses, { daemon: undefined })).toMatchObject([{ verdict: "skip" }]);
  });
});

describe("multicast groups", () => {
  const group = {
    mgid: "ff15:4001:ffff:3:400::",
    role: "base",
    state: "joined",
    rate: 3,
    mtu: 4,
    sl: 0,
    trafficClass: 0,
  } as const;

  it("that are not joined are named with the reason", async () => {
    const failed = { ...group, state: "failed", problem: "status 0x0200" } as const;
    const preferred = { ...group, role: "preferred" } as const;
    const refused = { ...preferred, state: "failed", problem: "no answer" } as const;
    const left = { ...preferred, state: "left-out", problem: "too slow" } as const;
    const daemon = { ...DAEMON, endpoints: [{ ...ENDPOINT, groups: [group, failed, refused, left] }] };
    expect(await check(multicastGroups, { daemon })).toMatchObject([
      { verdict: "ok", seen: "1 of 4 joined, 1 left out: more than the port can carry" },
      { verdict: "fail", subject: "mlx5_0/1/0xffff", seen: `base group ${group.mgid} is failed: status 0x0200` },
      { verdict: "warn", seen: `preferred group ${group.mgid} is failed: no answer` },
    ]);
  });

  it("of others are named, with what to do", async () => {
    const foreign = { ...group, mgid: "ff15:4001:ffff:2:300::", role: "foreign", state: "left-out" } as const;
    const problem = "2.5 Gb/s, MTU 1024 is the base group of other hosts";
    const daemon = { ...DAEMON, endpoints: [{ ...ENDPOINT, groups: [{ ...foreign, problem }, group] }] };
    expect(await check(multicastGroups, { daemon })).toMatchObject([
      { verdict: "ok", seen: "1 of 1 joined" },
      {
        verdict: "warn",
        subject: "mlx5_0/1/0xffff",
        seen: `group ff15:4001:ffff:2:300::, ${problem}`,
        remedy: expect.stringContaining("the same min_rate and min_mtu") as string,
      },
    ]);
  });

  it("are not used by every daemon", async () => {
    expect(await check(multicastGroups)).toMatchObject([{ verdict: "skip" }]);
  });
});

describe("paths of multicast groups", () => {
  const { device, key, nodeGuid, port, portCount, pkey } = ENDPOINT;
  const endpoint = { device, key, nodeGuid, port, portCount, pkey };
  const of = (destination: string, ...problems: readonly string[]) => ({
    destination,
    endpoint,
    gid: "fe80::10:3",
    group: "ff15:4001:ffff:3:400::",
    groups: [
      {
        mgid: "ff15:4001:ffff:10:500::",
        role: "preferred" as const,
        problems: ["100 Gb/s, but the path there has 10 Gb/s"],
      },
      { mgid: "ff15:4001:ffff:3:400::", role: "base" as const, problems },
    ],
    isUsable: problems.length === 0,
  });
  const wrong = of("node3", "SL 0, but the path back has SL 1");

  it("are warned of where they differ from the administrator's and are used", async () => {
    const multicast = { isInUse: true, checks: [of("node2"), wrong] };
    expect(await check(multicastPaths, { multicast })).toEqual([
      {
        verdict: "warn",
        seen: "they agree with the subnet administrator's for 1 of 2 hosts",
        remedy: "write `route_prot sa` into the options file",
      },
      {
        verdict: "warn",
        subject: "node3",
        seen: "SL 0, but the path back has SL 1",
        remedy: "see `verbena multicast check node3`",
      },
    ]);
  });

  it("are fine where they agree, or are not used", async () => {
    expect(await check(multicastPaths, { multicast: { isInUse: true, checks: [of("node2")] } })).toMatchObject([
      { verdict: "ok", seen: "they agree with the subnet administrator's for 1 of 1 hosts" },
    ]);
    expect(await check(multicastPaths, { multicast: { isInUse: false, checks: [wrong] } })).toMatchObject([
      { verdict: "ok", seen: expect.stringContaining("keep route_prot sa") },
    ]);
  });

  it("cannot be told of without a daemon, or while it knows nobody", async () => {
    expect(await check(multicastPaths, { multicast: undefined })).toMatchObject([{ verdict: "skip" }]);
    expect(await check(multicastPaths)).toMatchObject([{ verdict: "skip" }]);
  });
});

import { CONFIG, check, PORT, PROCESS } from "../../../../test/support/fake-probe.js";
import { capabilities } from "./capabilities.js";
import { configFiles } from "./config-file.js";
import { ipoib } from "./ipoib.js";
import { memlock } from "./memlock.js";
import { names } from "./names.js";
import { openFiles } from "./open-files.js";
import { umadAccess } from "./umad-access.js";
import { uverbsAccess } from "./uverbs-access.js";

const nobody = { ...PROCESS, uid: 65_534, capabilities: 0n };

describe("access", () => {
  it("names the function that each missing capability takes away", async () => {
    expect(await check(capabilities)).toMatchObject([{ verdict: "ok" }, { verdict: "ok" }]);
    expect(await check(capabilities, { process: nobody })).toMatchObject([
      { verdict: "warn", seen: expect.stringMatching(/^no CAP_NET_ADMIN .*kernel's own path queries/) },
      { verdict: "warn", seen: expect.stringMatching(/^no CAP_NET_RAW .*Q_Key/) },
    ]);
  });

  it("speaks of the daemon's limits where there is one", async () => {
    expect(await check(capabilities, { process: { ...nobody, isDaemon: true } })).toMatchObject([
      { subject: "daemon (process 42)" },
      { subject: "daemon (process 42)" },
    ]);
  });

  it("wants locked memory for every endpoint", async () => {
    expect(await check(memlock, { process: nobody })).toMatchObject([{ verdict: "ok", seen: "8192 KiB" }]);
    expect(await check(memlock, { process: { ...nobody, memlock: 65_536 } })).toEqual([
      {
        verdict: "warn",
        subject: "this shell",
        seen: "64 KiB, less than 8192 KiB",
        remedy: "write `* - memlock unlimited` to /etc/security/limits.d/rdma.conf and log in again",
      },
    ]);
    const many = [
      { name: "mlx5_0", via: "verbs" as const, ports: [{ ...PORT, pkeys: Array<number>(64).fill(0x8001) }] },
    ];
    expect(await check(memlock, { process: nobody, devices: many })).toMatchObject([
      { verdict: "warn", seen: "8192 KiB, less than 65536 KiB" },
    ]);
    const daemon = { ...nobody, memlock: 0, isDaemon: true };
    expect(await check(memlock, { process: daemon })).toMatchObject([
      { remedy: expect.stringContaining("LimitMEMLOCK=infinity") },
    ]);
    expect(await check(memlock, { process: { ...PROCESS, memlock: 0 } })).toMatchObject([{ verdict: "ok" }]);
  });

  it("counts the clients that the open files allow", async () => {
    expect(await check(openFiles, { process: { ...nobody, openFiles: 1024 } })).toMatchObject([
      { verdict: "warn", seen: "1024, enough for 896 clients" },
    ]);
    expect(await check(openFiles)).toMatchObject([{ verdict: "ok", seen: "65536, enough for 16384 clients" }]);
  });

  it("gives the udev rule for device files that are closed to us", async () => {
    const problem = { errno: "EACCES", reason: "permission denied" };
    expect(await check(umadAccess, { umad: [{ device: "mlx5_0", port: 1, problem }] })).toMatchObject([
      { verdict: "fail", subject: "mlx5_0/1", remedy: expect.stringContaining('KERNEL=="umad*"') },
    ]);
    expect(
      await check(umadAccess, { umad: [], deviceFiles: [{ path: "/dev/infiniband/umad0", problem }] }),
    ).toMatchObject([{ verdict: "fail", subject: "/dev/infiniband/umad0" }]);
    expect(await check(uverbsAccess, { deviceFiles: [{ path: "/dev/infiniband/uverbs0", problem }] })).toMatchObject([
      { verdict: "warn", remedy: expect.stringContaining('KERNEL=="uverbs*"') },
    ]);
    expect(await check(umadAccess)).toMatchObject([{ verdict: "ok" }]);
  });
});

describe("addresses", () => {
  it("finds the IPoIB interface and the address of each active port", async () => {
    expect(await check(ipoib)).toEqual([
      { verdict: "ok", subject: "mlx5_0/1", seen: "192.0.2.1/24 on ib0, P_Key 0xffff" },
    ]);
    expect(await check(ipoib, { addresses: [] })).toMatchObject([
      { verdict: "warn", seen: "ib0 has no address", remedy: "run `ip addr add ADDRESS/PREFIX dev ib0`" },
    ]);
    expect(await check(ipoib, { addresses: [], interfaces: [] })).toMatchObject([
      { verdict: "warn", remedy: expect.stringContaining("modprobe ib_ipoib") },
    ]);
    const fabric = { dir: "/tmp/fabric", node: "H1" };
    expect(await check(ipoib, { addresses: [], interfaces: [], fabric })).toMatchObject([
      { verdict: "warn", remedy: expect.stringContaining("`verbena sim ctl --dir /tmp/fabric addr add H1 IP/PREFIX`") },
    ]);
  });

  it("finds names that belong to no port of this host", async () => {
    const name = { text: "x", device: "MLX5_0", port: 1, pkey: "default" as const, where: "line 2 of a" };
    const wrong = [
      { ...name, device: "mlx4_0" },
      { ...name, port: 3 },
      { ...name, pkey: 0x8001 },
    ];
    expect(await check(names, { config: { ...CONFIG, names: [name, ...wrong] } })).toEqual([
      { verdict: "ok", seen: "1 of 4 belong to ports of this host" },
      expect.objectContaining({ verdict: "warn", seen: "there is no device mlx4_0" }),
      expect.objectContaining({ verdict: "warn", seen: "device MLX5_0 has no port 3" }),
      expect.objectContaining({ verdict: "warn", seen: "MLX5_0/1 is not in partition 0x8001" }),
    ]);
    expect(await check(names, { config: { ...CONFIG, names: wrong } })).toMatchObject([
      { verdict: "fail" },
      {},
      {},
      {},
    ]);
  });
});

describe("configuration files", () => {
  const [yaml, options] = configFiles;
  const path = "/etc/rdma/ibacm_opts.cfg";

  it("shows what the reader says, with file and line", async () => {
    const diagnostics = [
      { severity: "error" as const, file: path, line: 3, message: 'timeout: "0": must be at least 1' },
      { severity: "warning" as const, file: path, line: 9, message: "unknown key colour", hint: "did you mean …" },
      { severity: "note" as const, file: path, line: 10, message: "provider ibacmp stands for …" },
      { severity: "warning" as const, file: "/other", line: 1, message: "elsewhere" },
    ];
    expect(await options?.run(fake({ ...CONFIG, diagnostics }))).toEqual([
      expect.objectContaining({ verdict: "fail", subject: `${path}:3` }),
      { verdict: "warn", subject: `${path}:9`, seen: "unknown key colour", remedy: "did you mean …" },
    ]);
  });

  it("shows eight remarks at most", async () => {
    const diagnostics = Array.from({ length: 20 }, (_, index) => ({
      severity: "warning" as const,
      file: path,
      line: index + 1,
      message: "unknown key",
    }));
    const found = (await options?.run(fake({ ...CONFIG, diagnostics }))) ?? [];
    expect(found).toHaveLength(9);
    expect(found.at(-1)?.seen).toBe("12 more; see `verbena config check`");
  });

  it("takes a missing options file for defaults, and a missing verbena.yaml for a failure", async () => {
    expect(await options?.run(fake({ ...CONFIG, options: { path, isThere: false } }))).toEqual([
      { verdict: "ok", subject: path, seen: "not there: defaults are used" },
    ]);
    const lost = { severity: "error" as const, file: "/v.yaml", message: "the file is not there" };
    expect(await yaml?.run(fake({ ...CONFIG, yaml: "/v.yaml", diagnostics: [lost] }))).toMatchObject([
      { verdict: "fail", subject: "/v.yaml", seen: "the file is not there" },
    ]);
    expect(await yaml?.run(fake(CONFIG))).toEqual([{ verdict: "skip", seen: "not used" }]);
  });
});

function fake(config: typeof CONFIG) {
  return { config: () => Promise.resolve(config) } as never;
}

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  decodeNetlinkLsAnswer,
  encodeNetlinkResolveRequest,
  Gid,
  NETLINK_TIMEOUT_MS,
  NetlinkPathUse,
  PKey,
} from "@verbena/ib";
import type { PassedDescriptor } from "@verbena/native";
import { fakeHost } from "../../test/support/fake-host.js";
import { type FakeProviderControl, fakeProvider } from "../../test/support/fake-provider.js";
import { AcmClient } from "../client/acm-client.js";
import { ControlClient } from "../client/control-client.js";
import type { FakeNative } from "../testing/fake-native.js";
import { Daemon } from "./daemon.js";
import type { DaemonOptions } from "./options.js";

let folder: string;
let socket: string;
let native: FakeNative;
let table: FakeProviderControl;
let daemon: Daemon;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbena-kernel-"));
  socket = join(folder, "acm.sock");
  native = fakeHost();
  table = fakeProvider();
});

afterEach(async () => {
  await daemon.stop({ deadlineMs: 100 });
  expect(native.kernel.listeners).toBe(0);
  await rm(folder, { recursive: true, force: true });
});

/** A daemon with these lines in the daemon section of its `verbena.yaml`. */
async function start(section = "", options: Partial<DaemonOptions> = {}): Promise<void> {
  await configure(section);
  daemon = new Daemon({
    native,
    providers: [{ from: { definition: table.definition }, where: "test" }],
    sources: { config: join(folder, "verbena.yaml") },
    ...options,
  });
  await daemon.start();
}

function configure(section: string): Promise<void> {
  const lines = ["socket: acm.sock", "logFile: log", ...section.split("\n")].map((line) => `  ${line}`);
  return writeFile(join(folder, "verbena.yaml"), `daemon:\n${lines.join("\n")}\nproviders: []\n`);
}

const resolve = (sequence: number): Buffer =>
  encodeNetlinkResolveRequest({
    sequence,
    device: "fake0",
    port: 1,
    pathUse: NetlinkPathUse.GMP,
    query: { dgid: Gid.parse("fe80::10:3"), sgid: Gid.parse("fe80::10:1"), pkey: PKey.DEFAULT },
  });

describe("the daemon and the kernel", () => {
  it("answers the kernel's path queries and counts them with those of the socket", async () => {
    await start();
    const answer = decodeNetlinkLsAnswer(await native.kernel.ask(resolve(7)));
    expect(answer).toMatchObject({
      isFailure: false,
      header: { sequence: 7, pid: process.pid },
      paths: [{ flags: 0x2b, path: { dgid: Gid.parse("fe80::10:3"), slid: 4, dlid: 7 } }],
    });
    await using control = new ControlClient({ path: `${socket}.ctl` });
    expect((await control.status()).kernelService).toEqual({
      state: "serving",
      timeoutMs: NETLINK_TIMEOUT_MS.DEFAULT,
      requests: 1,
      failures: 0,
      overruns: 0,
    });
    expect((await control.clients()).clients).toMatchObject([{ kind: "netlink", requests: 1, errors: 0 }]);
    const client = await AcmClient.connect({ socketPath: socket });
    expect(await client.perf()).toMatchObject({ resolve: 1, error: 0 });
    await client.close();
  });

  it("runs on without the privilege, and names the function lost", async () => {
    native.kernel.openError = Object.assign(new Error("bind: Operation not permitted"), { errno: 1 });
    await start();
    expect(daemon.status()).toMatchObject({
      state: "ready",
      kernelService: { state: "lost", reason: expect.stringContaining("Operation not permitted") as string },
      degraded: [
        {
          function: "answers to the kernel's own path queries; it asks the subnet administrator itself",
          reason: expect.stringContaining("Operation not permitted") as string,
        },
      ],
    });
    native.kernel.openError = undefined;
    await daemon.reload();
    expect(daemon.status().degraded).toEqual([]);
    expect(decodeNetlinkLsAnswer(await native.kernel.ask(resolve(8))).isFailure).toBe(false);
    expect(daemon.status().kernelService).toMatchObject({ state: "serving" });
  });

  it("takes a new time-out over at a reload, without a restart", async () => {
    await start("kernelTimeoutMs: 500");
    await configure("kernelTimeoutMs: 4000");
    expect(await daemon.reload()).toMatchObject({ applied: ["daemon.kernelTimeoutMs"], needRestart: [] });
    expect(native.kernel.received.map((message) => message.readUInt32LE(20))).toEqual([500, 4000]);
    expect(native.kernel.opened).toEqual([{}]);
  });

  it("uses the socket that systemd hands over; another one only after a loss", async () => {
    const passed: PassedDescriptor[] = [{ fd: 5, name: "", kind: "netlink-rdma" }];
    Object.assign(native, { process: { ...native.process, passedDescriptors: () => passed } });
    native.kernel.refusal = 1;
    await start("", { systemd: true });
    native.kernel.refusal = 0;
    await new Promise(setImmediate);
    expect(daemon.status().kernelService).toMatchObject({
      state: "lost",
      reason: expect.stringMatching("CAP_NET_ADMIN"),
    });
    await daemon.reload();
    expect(native.kernel.opened).toEqual([{ fd: 5 }, {}]);
  });

  it("leaves the kernel alone where the configuration says so", async () => {
    await start("kernelService: false");
    expect(native.kernel.opened).toEqual([]);
    expect(daemon.status().kernelService).toMatchObject({ state: "off", reason: "daemon.kernelService is false" });
  });

  it("does not answer this machine's kernel with paths of a simulated fabric", async () => {
    process.env["FABRICSIM_DIR"] = folder;
    try {
      await start();
    } finally {
      delete process.env["FABRICSIM_DIR"];
    }
    expect(native.kernel.opened).toEqual([]);
    expect(daemon.status().kernelService).toMatchObject({ state: "off", reason: expect.stringMatching("simulated") });
  });
});

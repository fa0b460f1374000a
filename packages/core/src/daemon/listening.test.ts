import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PassedDescriptor } from "@verbena/native";
import type { DaemonConfig } from "../config/daemon-config.js";
import { loadConfig } from "../config/load-config.js";
import type { ConfigInput } from "../config/schema.js";
import { planListening } from "./listening.js";

async function daemon(overrides: ConfigInput["daemon"] = {}): Promise<DaemonConfig["daemon"]> {
  return (await loadConfig({ ignoreDefaults: true, overrides: { daemon: overrides } })).config.daemon;
}

const passed = (...kinds: PassedDescriptor["kind"][]): PassedDescriptor[] =>
  kinds.map((kind, index) => ({ fd: index + 3, name: "", kind }));

describe("planListening", () => {
  it("serves exactly the socket that is named, whatever the mode", async () => {
    const plan = planListening(await daemon({ socket: "/tmp/x.sock", serverMode: "open" }), undefined);
    expect(plan).toMatchObject({ listener: { kind: "unix", path: "/tmp/x.sock" }, socket: "/tmp/x.sock" });
  });

  it.each([
    ["unix", { kind: "unix", path: "/run/ibacm-unix.sock" }],
    ["loop", { kind: "loop", port: 6125 }],
    ["open", { kind: "open", port: 6125 }],
  ] as const)("follows server_mode %s", async (serverMode, listener) => {
    const plan = planListening(await daemon({ serverMode }), undefined);
    expect(plan).toMatchObject({ listener, socket: "/run/ibacm-unix.sock" });
  });

  it("takes the stream socket systemd hands over, in any order, and removes the port files", async () => {
    const runDirectory = await mkdtemp(join(tmpdir(), "verbena-run-"));
    try {
      await writeFile(join(runDirectory, "ibacm-tcp.port"), "6125\n");
      await writeFile(join(runDirectory, "ibacm.sock"), "");
      const config = await daemon({ runDirectory, serverMode: "open" });
      const plan = planListening(config, passed("netlink-rdma", "unix-stream-listener"));
      expect(plan.listener).toEqual({ kind: "fd", fd: 4 });
      plan.publish()();
      expect(await readdir(runDirectory)).toEqual(["ibacm.sock"]);
    } finally {
      await rm(runDirectory, { recursive: true });
    }
  });

  it("binds as unix when systemd hands nothing over, whatever the mode", async () => {
    const plan = planListening(await daemon({ serverMode: "open" }), passed());
    expect(plan.listener).toEqual({ kind: "unix", path: "/run/ibacm-unix.sock" });
  });

  it.each([[["unix-stream-listener", "tcp-listener"]], [["netlink-rdma", "netlink-rdma"]], [["unknown"]]] as const)(
    "refuses %j",
    async (kinds) => {
      const config = await daemon();
      expect(() => planListening(config, passed(...kinds))).toThrow(
        expect.objectContaining({ code: "VERBENA_DAEMON_SYSTEMD" }) as Error,
      );
    },
  );
});

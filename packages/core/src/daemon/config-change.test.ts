import type { DaemonConfig } from "../config/daemon-config.js";
import { loadConfig } from "../config/load-config.js";
import type { ConfigInput } from "../config/schema.js";
import { compareConfigs } from "./config-change.js";

async function config(overrides: ConfigInput = {}): Promise<DaemonConfig> {
  return (await loadConfig({ ignoreDefaults: true, overrides })).config;
}

describe("compareConfigs", () => {
  it("finds nothing between equal configurations", async () => {
    expect(compareConfigs(await config(), await config())).toEqual({
      needsEngine: false,
      needsAddresses: false,
      applied: [],
      needRestart: [],
    });
  });

  it("wants a new engine for what the engine is made of", async () => {
    const before = await config();
    expect(compareConfigs(before, await config({ sa: { retries: 5 } }))).toEqual({
      needsEngine: true,
      needsAddresses: false,
      // The default deadline follows from the retries, and so does how often the peers are asked.
      applied: ["sa", "resolver", "providers"],
      needRestart: [],
    });
    expect(compareConfigs(before, await config({ files: { hosts: "/h" } })).applied).toEqual(["preload"]);
  });

  it("wants another start for RDS that the daemon hosts, and leaves to others what they read when they start", async () => {
    const before = await config();
    const [loop, attach] = [{ transports: ["loop"] }, { attach: {} }];
    expect(compareConfigs(before, await config({ rds: loop })).needRestart).toEqual([]);
    expect(compareConfigs(before, await config({ rds: attach })).needRestart).toEqual(["rds"]);
    const hosting = await config({ rds: attach });
    expect(compareConfigs(hosting, await config({ rds: { ...loop, ...attach } })).needRestart).toEqual(["rds"]);
  });

  it("wants the engine to take lines of the address file, but a new one when their IPs begin to count", async () => {
    const before = await config();
    const addresses = { ...before.addresses, lines: [] as DaemonConfig["addresses"]["lines"], isFound: true };
    const line = { line: 1, kind: "name", text: "a", device: "sim0", port: 1, pkey: "default" } as const;
    expect(compareConfigs(before, { ...before, addresses: { ...addresses, lines: [line] } })).toMatchObject({
      needsEngine: false,
      needsAddresses: true,
      applied: ["addresses"],
    });
    expect(compareConfigs(before, { ...before, addresses: { ...addresses, supportIps: true } })).toMatchObject({
      needsEngine: true,
      needsAddresses: false,
    });
  });

  it("takes over the log at once and leaves the sockets for the next start", async () => {
    const change = compareConfigs(
      await config(),
      await config({
        daemon: { logLevel: 2, serverPort: 7000, control: false },
        native: { libibumad: "/x" },
      }),
    );
    expect(change).toEqual({
      needsEngine: false,
      needsAddresses: false,
      applied: ["daemon.logLevel"],
      needRestart: ["daemon.serverPort", "daemon.control", "native"],
    });
  });
});

import { createAcmHandler } from "./acm/index.js";
import { AcmClient, ControlClient } from "./client/index.js";
import { loadConfig } from "./config/index.js";
import { createControlServer } from "./control/index.js";
import { Daemon } from "./daemon/index.js";
import { createResolver } from "./embed/index.js";
import { systemClock } from "./host/index.js";
import { createAcmServer } from "./server/index.js";
import { FakeNative } from "./testing/index.js";

/** What a caller without a compiler writes. */
const misspelt = (options: object): never => options as never;
const handler = { handle: () => undefined };

describe("misspelt options are refused by name", () => {
  it.each<[string, string, () => unknown]>([
    ["createResolver", "settleMs", () => createResolver(misspelt({ settleMS: 0 }))],
    ["providers[0]", "options", () => createResolver(misspelt({ providers: [{ package: "x", option: {} }] }))],
    ["loadConfig", "addresses", () => loadConfig(misspelt({ address: "x" }))],
    ["Daemon", "settleMs", () => new Daemon(misspelt({ setleMs: 1 }))],
    ["createAcmServer", "listeners", () => createAcmServer(misspelt({ listener: [], handler }))],
    [
      "createAcmServer: limits",
      "maxClients",
      () => createAcmServer(misspelt({ listeners: [], handler, limits: { maxClient: 1 } })),
    ],
    ["AcmClient.connect", "socketPath", () => AcmClient.connect(misspelt({ socketpath: "/x" }))],
    ["ControlClient", "timeoutMs", () => new ControlClient(misspelt({ path: "/x", timeoutms: 1 }))],
    ["ControlClient: /v1/status", "signal", () => new ControlClient({ path: "/x" }).status(misspelt({ signals: 1 }))],
    ["ControlClient: watch", "signal", () => new ControlClient({ path: "/x" }).watch(misspelt({ signl: 1 })).next()],
    ["createControlServer", "path", () => createControlServer(misspelt({ paths: "/x" }))],
    ["createAcmHandler", "engine", () => createAcmHandler(misspelt({ engin: {} }))],
  ])("%s: did you mean %s?", async (of, near, call) => {
    await expect((async () => await call())()).rejects.toMatchObject({
      code: "VERBENA_OPTION_UNKNOWN",
      message: expect.stringMatching(
        new RegExp(`^${of.replaceAll(/[[\]]/g, "\\$&")}: unknown option \\w+; did you mean ${near}\\?$`),
      ),
    });
  });

  it("and questions with options that are none, before anybody is asked", async () => {
    await using resolver = await createResolver({
      native: new FakeNative({ clock: systemClock, devices: [] }),
      providers: [],
      settleMs: 0,
    });
    const ask = (options: object) => resolver.resolve("node1", misspelt(options));
    await expect(ask({ noDelai: true })).rejects.toMatchObject({
      message: "resolve: unknown option noDelai; did you mean noDelay?",
    });
    for (const maxPaths of [0, 128, 1.5]) {
      await expect(ask({ maxPaths })).rejects.toMatchObject({
        code: "VERBENA_OPTION_VALUE",
        message: `resolve: maxPaths must be a whole number from 1 to 127, not ${maxPaths}`,
      });
    }
    for (const deadlineMs of [0, -1, Number.NaN]) {
      await expect(ask({ deadlineMs })).rejects.toMatchObject({ code: "VERBENA_OPTION_VALUE" });
    }
  });
});

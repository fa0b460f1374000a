import { openNative } from "@verbena/native";
import { AcmEdgeCounters, createAcmHandler } from "../../src/acm/index.js";
import { AcmClient } from "../../src/client/acm-client.js";
import { Accounts } from "../../src/engine/accounts.js";
import type { EngineOptions } from "../../src/engine/index.js";
import { createFrontServer, KeptReplies } from "../../src/front/index.js";
import type { AcmServer } from "../../src/server/index.js";
import { VirtualClock } from "../../src/testing/index.js";
import { type Bench, startBench } from "./engine-bench.js";

/** An engine over fake native services behind the native front end, as a daemon puts them together. */
export interface FrontRig extends Bench {
  readonly server: AcmServer;
  readonly client: AcmClient;
  readonly kept: KeptReplies;
  /** Requests that came through to the engine's edge so far. */
  readonly handled: () => number;
  close(): Promise<void>;
}

export async function startFrontRig(path: string, options: Partial<EngineOptions> = {}): Promise<FrontRig> {
  const native = openNative();
  const accounts = new Accounts(
    () => 0.5,
    () => Promise.resolve("test"),
  );
  const edge = new AcmEdgeCounters();
  const late: { kept?: KeptReplies } = {};
  const bench = await startBench({
    accounts,
    onLost: (ground) => late.kept?.lost(ground),
    ...options,
  });
  const kept = new KeptReplies({ clock: bench.clock, accounts, edge });
  late.kept = kept;
  const inner = createAcmHandler({ engine: bench.engine, edge, keeper: kept });
  let handled = 0;
  const server = await createFrontServer({
    listeners: [{ kind: "unix", path }],
    handler: {
      handle: (...request) => {
        handled += 1;
        inner.handle(...request);
      },
    },
    // Clients are real, and so is their time.
    clock: new VirtualClock(),
    kept,
    openFrontEnd: native.openFrontEnd!.bind(native),
  });
  const client = await AcmClient.connect({ socketPath: path });
  return {
    ...bench,
    server,
    client,
    kept,
    handled: () => handled,
    close: async () => {
      await client.close();
      server.destroy();
      await bench.engine.close();
      await native.close();
    },
  };
}

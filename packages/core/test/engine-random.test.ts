import { decodePathRecord, encodePathRecord, Gid, Guid, Lid, VerbenaError } from "@verbena/ib";
import type { ResolveAnswer } from "../src/engine/contract.js";
import { FakeSa, fakePath } from "../src/testing/index.js";
import { ask, hostAddress, startBench } from "./support/engine-bench.js";

/** Codes a request may end with while ports, SM and addresses change under it. */
const ALLOWED = new Set([
  "VERBENA_RESOLVE_NO_DATA",
  "VERBENA_RESOLVE_NO_SOURCE",
  "VERBENA_RESOLVE_NOT_READY",
  "VERBENA_RESOLVE_TIMEOUT",
  "VERBENA_RESOLVE_ABORTED",
]);

function generator(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * below);
  };
}

/**
 * A fabric whose paths change with every announced event: the DLID tells in which epoch an answer was made. After an event has been
 * handed to the engine, no answer of an earlier epoch may be given.
 */
async function run(seed: number, steps: number): Promise<{ answers: number; failures: number }> {
  const random = generator(seed);
  const bench = await startBench({ negativeTtlMs: 200, timeoutMs: 500, retries: 1 });
  const { clock, native, engine } = bench;
  let epoch = 1;
  let mood: "well" | "busy" | "silent" = "well";
  native.sa.handler = (query) => {
    if (mood !== "well" && random(3) > 0) return mood === "busy" ? FakeSa.busy(query) : FakeSa.silent(query);
    const asked = decodePathRecord(query.mad.data);
    const path = fakePath(asked, { guid: Guid.from(Gid.guid(asked.dgid)), lid: Lid.from(epoch) });
    const reply = {
      type: "reply",
      records: [encodePathRecord(path)],
      delayMs: random(80),
      copies: 1 + random(2),
    } as const;
    return random(10) === 0 ? [reply, { ...reply, tid: BigInt(random(1000)) }] : reply;
  };
  const problems: string[] = [];
  const open: Promise<void>[] = [];
  let answers = 0;
  let failures = 0;
  const request = (): void => {
    const startedAt = clock.now();
    const deadlineMs = 50 + random(1500);
    const controller = new AbortController();
    if (random(6) === 0)
      clock.schedule(random(300), () => {
        controller.abort();
      });
    const succeed = (answer: ResolveAnswer): void => {
      answers += 1;
      if (answer.paths[0]?.dlid !== epoch) problems.push(`epoch ${String(answer.paths[0]?.dlid)} at epoch ${epoch}`);
    };
    const fail = (error: unknown): void => {
      failures += 1;
      if (!VerbenaError.is(error) || !ALLOWED.has(error.code)) problems.push(String(error));
    };
    const promise = ask(bench, `node${random(20)}`, {
      deadlineMs,
      signal: controller.signal,
      noDelay: random(8) === 0,
    });
    open.push(
      promise.then(succeed, fail).then(() => {
        if (clock.now() - startedAt > deadlineMs)
          problems.push(`outlived its deadline by ${clock.now() - startedAt - deadlineMs} ms`);
      }),
    );
  };
  const events: readonly (() => void)[] = [
    () => {
      epoch += 1;
      native.linkDown("sim0", 1);
    },
    () => {
      if (native.hardware.get("sim0")?.ports.get(1)?.state === "down") epoch += 1;
      native.linkUp("sim0", 1);
    },
    () => {
      epoch += 1;
      native.emit("sim0", { type: "port-err", port: 1 });
    },
    () => {
      epoch += 1;
      native.changeLid("sim0", 1, Lid.from(2 + random(50)));
      native.emit("sim0", { type: "lid-change", port: 1 });
    },
    () => {
      epoch += 1;
      native.changeSm("sim0", 1, Lid.from(1 + random(50)));
      native.emit("sim0", { type: "sm-change", port: 1 });
    },
    () => {
      epoch += 1;
      native.emit("sim0", { type: "client-reregister", port: 1 });
    },
    () => {
      native.emit("sim0", { type: "unknown", event: random(99) });
    },
    () => {
      native.addresses.add(hostAddress(`192.0.2.${2 + random(200)}`));
    },
    () => {
      mood = (["well", "busy", "silent"] as const)[random(3)] ?? "well";
    },
    () => {
      engine.flush();
    },
    () => {
      bench.provider.endpoints[0]?.setState(random(2) === 0 ? "joining" : "ready");
    },
  ];
  for (let step = 0; step < steps; step += 1) {
    for (let n = random(4); n >= 0; n -= 1) request();
    // What is answered by now was answered before the event.
    await clock.settle();
    if (random(3) === 0) events[random(events.length)]?.();
    await clock.settle();
    if (random(2) === 0) await clock.advance(random(120));
  }
  await clock.advance(5_000);
  await Promise.all(open);
  expect(problems).toEqual([]);
  expect(engine.cacheEntries().filter(({ state }) => state === "pending")).toEqual([]);
  await engine.close();
  expect(clock.pending).toBe(0);
  expect(native.umad.agents.size).toBe(0);
  return { answers, failures };
}

describe("engine: random events and requests", () => {
  it.each([1, 2, 3, 4])("gives no answer of a former world (seed %d)", async (seed) => {
    const { answers, failures } = await run(seed, 200);
    expect(answers).toBeGreaterThan(50);
    expect(failures).toBeGreaterThan(10);
  });
});

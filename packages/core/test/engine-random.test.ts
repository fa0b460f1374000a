import { decodePathRecord, encodePathRecord, Gid, Guid, Lid, VerbenaError } from "@verbena/ib";
import type { ResolveAnswer } from "../src/engine/contract.js";
import { FakeSa, fakePath } from "../src/testing/index.js";
import { ask, hostAddress, nodeGuid, startBench } from "./support/engine-bench.js";
import { gidIn, gidOut, portChanged } from "./support/notices.js";

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

/** Longest time for which a storm of notices holds one of them back (docs/architecture.md, Notices). */
const BATCH_CAP_MS = 1_000;
/** Pause after notices that came singly; one that comes after it is handed on at once. */
const BATCH_MS = 50;
const NODES = 20;

/**
 * A fabric whose paths change with everything that is announced. The DLID of a path is the number of the change that made it: one that
 * the own port saw, which makes all paths anew, or one that a notice tells of a single node.
 */
class ChangingPaths {
  #changes = 1;
  #own = 1;
  readonly #nodes = new Map<
    Guid,
    { lid: number; readonly former: { readonly lid: number; readonly untilMs: number }[] }
  >();
  #noticedMs = Number.NEGATIVE_INFINITY;
  #restedMs = Number.NEGATIVE_INFINITY;

  /** Everything is another one, and nobody may know what was. */
  ownChange(): void {
    this.#changes += 1;
    this.#own = this.#changes;
    this.#nodes.clear();
  }

  /** A node's path is another one; the engine is told now, and has until the next batch to follow. */
  noticed(node: Guid, nowMs: number): void {
    const isSingle = nowMs > this.#restedMs && nowMs - this.#noticedMs > BATCH_MS;
    const untilMs = isSingle ? nowMs : nowMs + BATCH_CAP_MS;
    this.#noticedMs = nowMs;
    this.#restedMs = isSingle ? this.#restedMs : nowMs + 2 * BATCH_CAP_MS;
    const known = this.#nodes.get(node) ?? { lid: this.#own, former: [] };
    known.former.push({ lid: known.lid, untilMs });
    this.#changes += 1;
    known.lid = this.#changes;
    this.#nodes.set(node, known);
  }

  lid(node: Guid): number {
    return this.#nodes.get(node)?.lid ?? this.#own;
  }

  /** Whether an answer is of this world. */
  isRight(node: Guid, lid: number | undefined, nowMs: number): boolean {
    if (lid === this.lid(node)) return true;
    return this.#nodes.get(node)?.former.some((one) => one.lid === lid && nowMs <= one.untilMs) ?? false;
  }
}

/**
 * After an event has been handed to the engine, no answer of the world before it may be given; after a notice about a node none about that
 * node, once its batch is due.
 */
async function run(seed: number, steps: number): Promise<{ answers: number; failures: number; notices: number }> {
  const random = generator(seed);
  const bench = await startBench({ negativeTtlMs: 200, timeoutMs: 500, retries: 1 });
  const { clock, native, engine } = bench;
  const paths = new ChangingPaths();
  let mood: "well" | "busy" | "silent" = "well";
  native.sa.handler = (query) => {
    if (mood !== "well" && random(3) > 0) return mood === "busy" ? FakeSa.busy(query) : FakeSa.silent(query);
    const asked = decodePathRecord(query.mad.data);
    const guid = Guid.from(Gid.guid(asked.dgid));
    const path = fakePath(asked, { guid, lid: Lid.from(paths.lid(guid)) });
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
  let notices = 0;
  const request = (): void => {
    const startedAt = clock.now();
    const deadlineMs = 50 + random(1500);
    const controller = new AbortController();
    if (random(6) === 0)
      clock.schedule(random(300), () => {
        controller.abort();
      });
    const node = random(NODES);
    const succeed = (answer: ResolveAnswer): void => {
      answers += 1;
      const lid = answer.paths[0]?.dlid;
      if (!paths.isRight(nodeGuid(node), lid, clock.now()))
        problems.push(`node${node} by change ${String(lid)} after change ${paths.lid(nodeGuid(node))}`);
    };
    const fail = (error: unknown): void => {
      failures += 1;
      if (!VerbenaError.is(error) || !ALLOWED.has(error.code)) problems.push(String(error));
    };
    const promise = ask(bench, `node${node}`, {
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
  /** A node has come, changed or gone; this time its path is another one. */
  const noticed = (): void => {
    const node = random(NODES);
    const before = paths.lid(nodeGuid(node));
    // With the port down nobody hears, and nothing is remembered.
    if (native.hardware.get("sim0")?.ports.get(1)?.state === "down") return;
    notices += 1;
    paths.noticed(nodeGuid(node), clock.now());
    native.umad.report("sim0", 1, [gidIn(node), gidOut(node), portChanged(node, before)][random(3)] ?? gidIn(node));
  };
  const linkUp = (): void => {
    if (native.hardware.get("sim0")?.ports.get(1)?.state === "down") paths.ownChange();
    native.linkUp("sim0", 1);
  };
  const events: readonly (() => void)[] = [
    () => {
      paths.ownChange();
      native.linkDown("sim0", 1);
    },
    linkUp,
    linkUp,
    linkUp,
    () => {
      paths.ownChange();
      native.emit("sim0", { type: "port-err", port: 1 });
    },
    () => {
      paths.ownChange();
      native.changeLid("sim0", 1, Lid.from(2 + random(50)));
      native.emit("sim0", { type: "lid-change", port: 1 });
    },
    () => {
      paths.ownChange();
      native.changeSm("sim0", 1, Lid.from(1 + random(50)));
      native.emit("sim0", { type: "sm-change", port: 1 });
    },
    () => {
      paths.ownChange();
      native.emit("sim0", { type: "client-reregister", port: 1 });
    },
    noticed,
    noticed,
    noticed,
    noticed,
    () => {
      for (let n = 2 + random(4); n > 0; n -= 1) noticed();
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
  return { answers, failures, notices };
}

describe("engine: random events and requests", () => {
  it.each([1, 2, 3, 4])("gives no answer of a former world (seed %d)", async (seed) => {
    const { answers, failures, notices } = await run(seed, 300);
    expect(answers).toBeGreaterThan(50);
    expect(failures).toBeGreaterThan(10);
    expect(notices).toBeGreaterThan(10);
  });
});

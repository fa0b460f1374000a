import { answerOf, FakeEngine } from "../../test/support/fake-engine.js";
import type { ResolveAnswer, ResolveRequest } from "../engine/contract.js";
import { EngineSwitch } from "./engine-switch.js";

const request: ResolveRequest = {
  destination: { kind: "name", name: "node2", text: "node2" },
  client: { id: 1, kind: "embed" },
};

describe("EngineSwitch", () => {
  it("sends requests to the engine in place, and lets the old one finish", async () => {
    const first = new FakeEngine();
    const second = new FakeEngine();
    let finish: (answer: ResolveAnswer) => void = () => undefined;
    first.answer = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    second.answer = () => Promise.resolve(answerOf(9));
    const engine = new EngineSwitch(first);
    const early = engine.resolve(request);
    let isIdle = false;
    const idle = engine.exchange(second, "reload").then(() => {
      isIdle = true;
    });
    expect((await engine.resolve(request)).paths[0]?.dlid).toBe(9);
    expect(isIdle).toBe(false);
    finish(answerOf(7));
    expect((await early).paths[0]?.dlid).toBe(7);
    await idle;
    expect(isIdle).toBe(true);
  });

  it("calls the old engine idle at once when it has nothing in work, also after a failure", async () => {
    const first = new FakeEngine();
    first.answer = () => Promise.reject(new Error("no"));
    const engine = new EngineSwitch(first);
    await expect(engine.resolve(request)).rejects.toThrow("no");
    await expect(engine.exchange(new FakeEngine(), "reload")).resolves.toBeUndefined();
  });

  it("goes on telling changes after an exchange", async () => {
    const first = new FakeEngine();
    const second = new FakeEngine();
    const engine = new EngineSwitch(first);
    const changes = engine.changes();
    const one = changes.next();
    first.emit({ type: "flushed", reason: "one" });
    expect((await one).value).toEqual({ type: "flushed", reason: "one" });
    const two = changes.next();
    await engine.exchange(second, "reload");
    expect((await two).value).toEqual({ type: "flushed", reason: "reload" });
    const three = changes.next();
    second.emit({ type: "flushed", reason: "three" });
    expect((await three).value).toEqual({ type: "flushed", reason: "three" });
    expect([first.watcherCount, second.watcherCount]).toEqual([0, 1]);
    const four = changes.next();
    await engine.close();
    expect((await four).done).toBe(true);
    expect([first.isClosed, second.isClosed]).toEqual([false, true]);
  });

  it("goes on telling what providers do after an exchange, and says that they were opened anew", async () => {
    const [first, second] = [new FakeEngine(), new FakeEngine()];
    const engine = new EngineSwitch(first);
    const reports = engine.providerEvents({ endpoint: "sim0/1/0xffff" });
    const one = reports.next();
    await engine.exchange(second, "reload");
    expect((await one).value).toEqual({ type: "restarted", reason: "reload" });
    const two = reports.next();
    second.report({ type: "lagged", dropped: 1 });
    expect((await two).value).toEqual({ type: "lagged", dropped: 1 });
    expect([first.watchedEndpoints, second.watchedEndpoints]).toEqual([["sim0/1/0xffff"], ["sim0/1/0xffff"]]);
    await engine.close();
  });

  it("ends a watch by its signal", async () => {
    const first = new FakeEngine();
    const stop = new AbortController();
    const next = new EngineSwitch(first).changes(stop.signal).next();
    stop.abort();
    expect((await next).done).toBe(true);
    expect(first.watcherCount).toBe(0);
  });
});

/** What providers tell of their work, as who watches them sees it. */
import { startBench } from "./support/engine-bench.js";

const EVENT = { type: "request", way: "in", wanted: "host1" } as const;

describe("a provider that tells what it does", () => {
  it("is heard with its name, the endpoint and the time", async () => {
    const { engine, provider } = await startBench();
    const reports = engine.providerEvents();
    const [endpoint] = provider.endpoints;
    endpoint?.services.observe(() => EVENT);
    expect((await reports.next()).value).toEqual({
      type: "event",
      endpoint: endpoint?.endpoint.key,
      provider: expect.any(String) as string,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      event: EVENT,
    });
    await engine.close();
    expect((await reports.next()).done).toBe(true);
  });

  it("is not even asked what it does while nobody watches, nor when it is being closed", async () => {
    const { engine, provider } = await startBench();
    const [endpoint] = provider.endpoints;
    const event = jest.fn(() => EVENT);
    endpoint?.services.observe(event);
    const reports = engine.providerEvents();
    await engine.close();
    endpoint?.services.observe(event);
    expect([event.mock.calls.length, (await reports.next()).done]).toEqual([0, true]);
  });

  it("is heard by nobody who watches another endpoint", async () => {
    const { engine, provider } = await startBench();
    const [endpoint] = provider.endpoints;
    const others = engine.providerEvents({ endpoint: "other/1/0xffff" });
    const own = engine.providerEvents({ endpoint: endpoint?.endpoint.key ?? "" });
    endpoint?.services.observe(() => EVENT);
    expect((await own.next()).value).toMatchObject({ event: EVENT });
    await engine.close();
    expect((await others.next()).done).toBe(true);
  });
});

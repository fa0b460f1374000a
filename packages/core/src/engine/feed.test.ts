import { FEED_LIMIT, Feed } from "./feed.js";

async function take<T>(items: AsyncIterableIterator<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < count) {
    const { value, done } = await items.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

describe("Feed", () => {
  it("hands every item to every reader, from the moment it opened", async () => {
    const feed = new Feed<number>();
    const first = feed.open();
    feed.emit(1);
    const second = feed.open();
    feed.emit(2);
    expect([await take(first, 2), await take(second, 1)]).toEqual([[1, 2], [2]]);
  });

  it("keeps as many as its limit for a slow reader, and counts those lost one above it", async () => {
    const feed = new Feed<number>();
    const slow = feed.open();
    for (let n = 0; n < FEED_LIMIT; n++) feed.emit(n);
    feed.emit(FEED_LIMIT);
    feed.emit(FEED_LIMIT + 1);
    expect(await take(slow, 2)).toEqual([{ type: "lagged", dropped: 2 }, 2]);
    expect((await take(slow, FEED_LIMIT - 1)).at(-1)).toBe(FEED_LIMIT + 1);
  });

  it("neither keeps nor counts what a reader does not want", async () => {
    const feed = new Feed<number>();
    const rare = feed.open(undefined, (n) => n % FEED_LIMIT === 0);
    for (let n = 0; n <= 2 * FEED_LIMIT; n++) feed.emit(n);
    expect(await take(rare, 3)).toEqual([0, FEED_LIMIT, 2 * FEED_LIMIT]);
  });

  it("knows whether anybody listens", async () => {
    const feed = new Feed<number>();
    const stop = new AbortController();
    const [one, other] = [feed.open(stop.signal), feed.open()];
    stop.abort();
    expect([feed.hasReaders, (await one.next()).done]).toEqual([true, true]);
    await other.return?.();
    expect(feed.hasReaders).toBe(false);
  });

  it("ends its readers when it is closed, also those that come later", async () => {
    const feed = new Feed<number>();
    const next = feed.open().next();
    feed.close();
    expect([(await next).done, (await feed.open().next()).done]).toEqual([true, true]);
  });
});

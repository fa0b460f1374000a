import { SingleReaderQueue } from "./single-reader-queue.js";

const make = (highWater = 4) => {
  const flow: string[] = [];
  const queue = new SingleReaderQueue<number>(
    "the source",
    { pause: () => flow.push("pause"), resume: () => flow.push("resume") },
    highWater,
  );
  return { queue, flow };
};

test("delivers what was pushed before and after the read", async () => {
  const { queue } = make();
  queue.push(1);
  const reader = queue.read();
  expect(await reader.next()).toEqual({ done: false, value: 1 });
  const pending = reader.next();
  queue.push(2);
  expect(await pending).toEqual({ done: false, value: 2 });
});

test("pauses at the high-water mark and resumes at half of it", async () => {
  const { queue, flow } = make(4);
  for (let i = 0; i < 3; i++) queue.push(i);
  expect(flow).toEqual([]);
  queue.push(3);
  queue.push(4);
  expect(flow).toEqual(["pause"]);
  const reader = queue.read();
  await reader.next();
  await reader.next();
  expect(flow).toEqual(["pause"]);
  await reader.next();
  expect(flow).toEqual(["pause", "resume"]);
});

test("keeps order over thousands of items", async () => {
  const { queue } = make(10_000);
  for (let i = 0; i < 5000; i++) queue.push(i);
  const reader = queue.read();
  for (let i = 0; i < 5000; i++) expect((await reader.next()).value).toBe(i);
  expect(queue.length).toBe(0);
});

test("refuses a second reader until the first has left", async () => {
  const { queue } = make();
  const first = queue.read();
  expect(() => queue.read()).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_BUSY" }));
  queue.push(1);
  await first.return?.();
  expect(await first.next()).toEqual({ done: true, value: undefined });
  const second = queue.read();
  expect(await second.next()).toEqual({ done: false, value: 1 });
});

test("two waits at once are one too many", async () => {
  const { queue } = make();
  const reader = queue.read();
  const pending = reader.next();
  await expect(reader.next()).rejects.toMatchObject({ code: "VERBENA_NATIVE_BUSY" });
  queue.end();
  expect(await pending).toEqual({ done: true, value: undefined });
});

test("an end delivers what waits, a discarding end drops it", async () => {
  const kept = make().queue;
  kept.push(1);
  kept.end();
  const reader = kept.read();
  expect(await reader.next()).toEqual({ done: false, value: 1 });
  expect(await reader.next()).toEqual({ done: true, value: undefined });

  const dropped = make().queue;
  dropped.push(1);
  dropped.end(true);
  expect(await dropped.read().next()).toEqual({ done: true, value: undefined });
});

test("a failure comes once, after what waits", async () => {
  const { queue } = make();
  queue.push(1);
  queue.fail(new Error("gone"));
  queue.push(2);
  const reader = queue.read();
  expect((await reader.next()).value).toBe(1);
  await expect(reader.next()).rejects.toThrow("gone");
  expect(await reader.next()).toEqual({ done: true, value: undefined });
});

test("a failure rejects a pending wait", async () => {
  const { queue } = make();
  const pending = queue.read().next();
  queue.fail(new Error("gone"));
  await expect(pending).rejects.toThrow("gone");
});

test("leaving a for-await loop frees the reader", async () => {
  const { queue } = make();
  queue.push(1);
  queue.push(2);
  for await (const item of queue.read()) {
    expect(item).toBe(1);
    break;
  }
  expect((await queue.read().next()).value).toBe(2);
});

import { LineQueue, QUEUE_BYTES } from "./line-queue.js";
import type { LogOutlet } from "./outlet.js";

/** A disk or a reader that takes what it is told to. */
class SlowOutlet implements LogOutlet {
  readonly taken: string[] = [];
  calls: string[] = [];
  isClosed = false;
  #bytes: Buffer | undefined;
  #done: ((error: Error | null, taken: number) => void) | undefined;

  write(bytes: Buffer, done: (error: Error | null, taken: number) => void): void {
    this.#bytes = bytes;
    this.#done = done;
  }

  /** Takes all that is being written, or fails after so many bytes. */
  take(failAfter?: number): void {
    const [bytes, done] = [this.#bytes, this.#done];
    if (bytes === undefined || done === undefined) throw new Error("nothing is being written");
    this.#bytes = this.#done = undefined;
    this.taken.push(bytes.toString("utf8", 0, failAfter));
    if (failAfter === undefined) done(null, bytes.length);
    else done(new Error("ENOSPC"), failAfter);
  }

  takeAll(): void {
    while (this.#bytes !== undefined) this.take();
  }

  get text(): string {
    return this.taken.join("");
  }

  close(): void {
    this.isClosed = true;
  }

  abandon(): void {
    this.calls.push("abandon");
  }
}

const open = () => {
  const outlet = new SlowOutlet();
  return { outlet, queue: new LineQueue(outlet, (lost) => `lost ${String(lost)}\n`) };
};

const LONG = `${"x".repeat(65_535)}\n`;

describe("LineQueue", () => {
  it("keeps its lines until what it comes after is done, and closes only then", async () => {
    const before = open();
    before.queue.write("a\n");
    const outlet = new SlowOutlet();
    const queue = new LineQueue(outlet, String, before.queue.idle());
    queue.write("b\n");
    queue.close();
    expect([outlet.text, outlet.isClosed]).toEqual(["", false]);
    const idle = queue.idle();
    before.outlet.take();
    await before.queue.idle();
    outlet.take();
    await idle;
    expect([outlet.text, outlet.isClosed]).toEqual(["b\n", true]);
  });

  it("writes lines in order, one write at a time", async () => {
    const { outlet, queue } = open();
    for (const line of ["a\n", "b\n", "c\n"]) queue.write(line);
    outlet.take();
    expect(outlet.taken).toEqual(["a\n"]);
    outlet.take();
    expect(outlet.taken).toEqual(["a\n", "b\nc\n"]);
    await queue.idle();
  });

  it("keeps 1 MiB for an outlet that does not take it, and counts the rest where it is missing", () => {
    const { outlet, queue } = open();
    queue.write("first\n");
    const fitting = QUEUE_BYTES / LONG.length;
    for (let count = 0; count < fitting; count += 1) queue.write(LONG);
    for (let count = 0; count < 1_000; count += 1) queue.write("lost\n");
    outlet.take();
    outlet.take();
    queue.write("there is room\n");
    outlet.takeAll();
    expect(outlet.text).toBe(`first\n${LONG.repeat(fitting)}lost 1000\nthere is room\n`);
  });

  it("tells of lost lines when all is written, without waiting for another line", () => {
    const { outlet, queue } = open();
    for (let count = 0; count < 18; count += 1) queue.write(LONG);
    outlet.takeAll();
    expect(outlet.text.endsWith(`${LONG}lost 1\n`)).toBe(true);
  });

  it("counts the lines that a full disk did not take, and goes on when it does", () => {
    const { outlet, queue } = open();
    queue.write("a\n");
    queue.write("b\n");
    queue.write("c\n");
    outlet.take(0);
    outlet.take(0);
    queue.write("d\n");
    outlet.take(0);
    queue.write("e\n");
    outlet.takeAll();
    expect(outlet.text).toBe("lost 4\ne\n");
  });

  it("ends a line that was cut off before the next one", () => {
    const { outlet, queue } = open();
    queue.write("first\n");
    queue.write("second\n");
    queue.write("third\n");
    outlet.take();
    outlet.take("second\nth".length);
    queue.write("fourth\n");
    outlet.takeAll();
    expect(outlet.text).toBe("first\nsecond\nth\nlost 1\nfourth\n");
  });

  it("closes the outlet when it has what waits, and takes nothing more", async () => {
    const { outlet, queue } = open();
    queue.write("a\n");
    queue.write("b\n");
    queue.close();
    queue.close();
    queue.write("late\n");
    expect(outlet.isClosed).toBe(false);
    const idle = queue.idle();
    outlet.take();
    outlet.take();
    await idle;
    expect([outlet.text, outlet.isClosed]).toEqual(["a\nb\n", true]);
  });

  it("gives up what waits when told", () => {
    const { outlet, queue } = open();
    queue.write("a\n");
    queue.write("b\n");
    queue.abandon();
    expect(outlet.calls).toEqual(["abandon"]);
    outlet.take();
    expect(outlet.text).toBe("a\n");
  });
});

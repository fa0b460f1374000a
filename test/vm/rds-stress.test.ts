import { verbena } from "./verbena.js";

/** The last line of JSON. */
const summary = (out: string): unknown => JSON.parse(out.trim().split("\n").at(-1) ?? "") as unknown;

describe("verbena rds stress over the kernel's sockets", () => {
  const keepAlive = setInterval(() => undefined, 1000);
  afterAll(() => clearInterval(keepAlive));

  test("requests that one side sends are all received and answered by the other, and none is more than was asked for", async () => {
    const words = ["rds", "stress", "--transport", "kernel", "--warm-up", "0", "--json"];
    const passive = verbena([...words, "-r", "127.0.0.2", "-p", "4700"]);
    const load = ["-q", "4096", "-t", "2", "-d", "4", "-o", "-v", "--count", "50", "--connect-retries", "30"];
    const active = await verbena([...words, "-r", "127.0.0.1", "-s", "127.0.0.2", "-p", "4700", ...load]);
    expect([active.status, active.err]).toEqual([0, ""]);
    expect(summary(active.out)).toMatchObject({ requestsSent: 200, acksReceived: 200, bytes: 200 * (4096 + 63) });
    const { status, out, err } = await passive;
    expect([status, err]).toEqual([0, ""]);
    expect(summary(out)).toMatchObject({ requestsReceived: 200, acksSent: 200 });
  });
});

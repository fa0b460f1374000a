import type { CompletionChannel, CompletionQueue } from "../src/index.js";

/** The queue of the next event, looked for once a turn of the loop: a device works beside the program. */
export async function nextEvent(channel: CompletionChannel): Promise<CompletionQueue> {
  for (;;) {
    const cq = channel.tryRead();
    if (cq !== undefined) return cq;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

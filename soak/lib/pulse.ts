import { setTimeout as sleep } from "node:timers/promises";
import { SimControlClient } from "@verbena/fabric-sim";
import { machineMs } from "./machine-clock.js";
import type { Spans } from "./spans.js";

const PAUSE_MS = 50;

/** Asks the fabric's thread something small all the time: where that takes as long as a try of a question to the SA, so do answers of the SA. */
export class Pulse {
  #isOver = false;
  #work: Promise<void> = Promise.resolve();

  /** Notes in `late` when the fabric took `lateMs` or more. */
  static start(dir: string, late: Spans, lateMs: number): Pulse {
    const pulse = new Pulse();
    pulse.#work = pulse.#beat(dir, late, lateMs);
    return pulse;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#work;
  }

  async #beat(dir: string, late: Spans, lateMs: number): Promise<void> {
    const control = await SimControlClient.connect(dir);
    while (!this.#isOver) {
      const askedMs = machineMs();
      await control.request({ op: "events" });
      const answeredMs = machineMs();
      if (answeredMs - askedMs >= lateMs) {
        late.begin(askedMs);
        late.end(answeredMs);
      }
      await sleep(PAUSE_MS);
    }
    await control.close();
  }
}

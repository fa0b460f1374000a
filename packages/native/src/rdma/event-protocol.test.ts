import fc from "fast-check";
import { type Command, EventProtocol } from "./event-protocol.js";

/** A completion queue and its channel as IBA 10.2.6 and 11.4.2 describe them: arming is for one event, raised by a later completion. */
class ModelQueue {
  completions = 0;
  isArmed = false;
  eventsInChannel = 0;
  eventsRaised = 0;
  acknowledged = 0;
  complete(): void {
    this.completions++;
    if (!this.isArmed) return;
    this.isArmed = false;
    this.eventsInChannel++;
    this.eventsRaised++;
  }
}

/** One step of the outside world, or of the reader. */
type Step = "complete" | "pull" | "leave" | "act" | "read-event" | "tick";

/** Drives the machine one command at a time, so that completions fall between any two of its actions. */
class Driver {
  readonly queue = new ModelQueue();
  readonly protocol: EventProtocol;
  command: Command = "wait";
  delivered = 0;
  nowUs = 0;
  isReading = false;
  yielded = 0;

  constructor(byEvent: boolean, spinUs: number) {
    this.protocol = new EventProtocol({ byEvent, spinUs });
  }

  get isResting(): boolean {
    return this.command === "wait" || this.command === "deliver";
  }

  act(): void {
    switch (this.command) {
      case "poll": {
        const count = this.queue.completions;
        this.queue.completions = 0;
        this.delivered += count;
        this.command = this.protocol.polled(count, this.nowUs);
        if (this.command === "deliver") this.isReading = false;
        return;
      }
      case "arm":
        this.queue.isArmed = true;
        this.command = this.protocol.armed();
        return;
      case "yield":
        this.yielded++;
        this.nowUs += 10;
        this.command = this.protocol.turned();
        return;
      default:
        return;
    }
  }

  step(step: Step): void {
    switch (step) {
      case "complete":
        this.queue.complete();
        return;
      case "pull":
        if (this.isReading || !this.isResting) return;
        this.isReading = true;
        this.command = this.protocol.pull(this.nowUs);
        return;
      case "leave":
        this.isReading = false;
        this.protocol.leave();
        return;
      case "act":
        this.act();
        return;
      case "read-event":
        // The loop reads events between runs of commands, also while one of them waits for the next turn.
        if (this.queue.eventsInChannel === 0 || !(this.isResting || this.command === "yield")) return;
        this.queue.eventsInChannel--;
        this.command = this.protocol.event();
        this.acknowledge(false);
        return;
      default:
        this.nowUs += 7;
    }
  }

  acknowledge(isLast: boolean): void {
    this.queue.acknowledged += this.protocol.takeAcknowledgements(isLast);
  }

  /** Lets everything happen that happens by itself: no timer, no further completion. */
  settle(): void {
    for (let i = 0; i < 10_000; i++) {
      if (!this.isResting) this.act();
      else if (this.queue.eventsInChannel > 0) this.step("read-event");
      else return;
      if (!this.protocol.isWanted && this.command === "yield") return;
    }
    throw new Error("it never rests");
  }
}

const steps = fc.array(
  fc.constantFrom<Step>("complete", "complete", "pull", "pull", "act", "act", "act", "read-event", "leave", "tick"),
  { maxLength: 200 },
);

test.each([
  ["event mode", 0],
  ["adaptive mode", 50],
])("%s: a reader that waits misses no completion, whatever the order of events", (_mode, spinUs) => {
  fc.assert(
    fc.property(steps, (sequence) => {
      const driver = new Driver(true, spinUs);
      for (const step of sequence) driver.step(step);
      driver.settle();
      // Either nobody reads, or there is nothing to read and the next completion will raise an event.
      if (driver.isReading) {
        expect(driver.queue.completions).toBe(0);
        expect(driver.queue.isArmed).toBe(true);
        driver.queue.complete();
        expect(driver.queue.eventsInChannel).toBe(1);
        driver.settle();
        expect(driver.isReading).toBe(false);
        expect(driver.queue.completions).toBe(0);
      }
    }),
    { numRuns: 2000 },
  );
});

test("every event is acknowledged by the end, and none that was not read", () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      const driver = new Driver(true, 0);
      for (const step of sequence) {
        driver.step(step);
        expect(driver.queue.acknowledged).toBeLessThanOrEqual(driver.queue.eventsRaised - driver.queue.eventsInChannel);
      }
      driver.settle();
      driver.acknowledge(true);
      expect(driver.queue.acknowledged).toBe(driver.queue.eventsRaised);
      expect(driver.protocol.unacknowledged).toBe(0);
    }),
    { numRuns: 1000 },
  );
});

test("without a channel it polls at each turn and never arms", () => {
  const driver = new Driver(false, 0);
  driver.step("pull");
  for (let i = 0; i < 20; i++) driver.act();
  expect(driver.queue.isArmed).toBe(false);
  expect(driver.yielded).toBe(10);
  driver.queue.complete();
  while (driver.isReading) driver.act();
  expect(driver.delivered).toBe(1);
});

test("adaptive: polls for its time after the last completion, then arms", () => {
  const driver = new Driver(true, 100);
  driver.step("pull");
  driver.queue.complete();
  while (driver.isReading) driver.act();
  driver.step("pull");
  while (!driver.isResting) driver.act();
  expect(driver.yielded).toBe(10);
  expect(driver.queue.isArmed).toBe(true);
});

test("adaptive: a completion that came by an event begins a new time of polling", () => {
  const driver = new Driver(true, 100);
  driver.step("pull");
  driver.settle();
  expect(driver.yielded).toBe(10);
  driver.queue.complete();
  driver.settle();
  expect(driver.delivered).toBe(1);
  expect(driver.queue.isArmed).toBe(false);
  driver.step("pull");
  driver.settle();
  expect(driver.yielded).toBe(20);
  expect(driver.queue.isArmed).toBe(true);
});

test("events are acknowledged in batches", () => {
  const driver = new Driver(true, 0);
  for (let i = 0; i < 32; i++) {
    driver.step("pull");
    driver.settle();
    driver.queue.complete();
    expect(driver.queue.acknowledged).toBe(0);
    driver.settle();
  }
  expect(driver.queue.acknowledged).toBe(32);
});

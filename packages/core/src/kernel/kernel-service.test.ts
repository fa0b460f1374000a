import { decodeNetlinkHeader, decodeNetlinkLsAnswer, decodeNetlinkLsRequest, NetlinkLs } from "@verbena/ib";
import { FakeEngine } from "../../test/support/fake-engine.js";
import { AcmEdgeCounters } from "../acm/edge-counters.js";
import type { ResolverEngine } from "../engine/contract.js";
import type { Logger } from "../sdk/services.js";
import { FakeKernel } from "../testing/fake-kernel.js";
import { VirtualClock } from "../testing/virtual-clock.js";
import { KernelService } from "./kernel-service.js";

let clock: VirtualClock;
let kernel: FakeKernel;
let engine: FakeEngine;
let service: KernelService;
let lines: (readonly [string, string, Readonly<Record<string, unknown>> | undefined])[];

const logger: Logger = {
  debug: (message, fields) => lines.push(["debug", message, fields]),
  info: (message, fields) => lines.push(["info", message, fields]),
  warn: (message, fields) => lines.push(["warn", message, fields]),
  error: (message, fields) => lines.push(["error", message, fields]),
  child: () => logger,
};

beforeEach(() => {
  clock = new VirtualClock();
  kernel = new FakeKernel();
  engine = new FakeEngine();
  lines = [];
  service = new KernelService({
    open: () => kernel.open(),
    engine,
    edge: new AcmEdgeCounters(),
    clock,
    logger,
    timeoutMs: 2000,
    pid: 77,
  });
});

afterEach(async () => {
  await service.close();
  expect(clock.pending).toBe(0);
  expect(kernel.listeners).toBe(0);
});

/** RESOLVE for fe80::10:3 by the GMP use, with the sequence number. */
function request(sequence: number): Buffer {
  const bytes = Buffer.alloc(16 + 68 + 20);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt16LE(NetlinkLs.RESOLVE, 4);
  bytes.writeUInt16LE(NetlinkLs.FLAG_REQUEST, 6);
  bytes.writeUInt32LE(sequence, 8);
  bytes[80] = 1;
  bytes[81] = 2;
  bytes.writeUInt16LE(20, 84);
  bytes.writeUInt16LE(0x2004, 86);
  Buffer.from("fe800000000000000000000000100003", "hex").copy(bytes, 88);
  return bytes;
}

/** What the engine does with a request for a path. */
function whenAsked(resolvePath: ResolverEngine["resolvePath"]): void {
  Object.assign(engine, { resolvePath });
}

const warnings = (): readonly string[] => lines.filter(([level]) => level === "warn").map(([, message]) => message);

describe("KernelService", () => {
  it("tells the kernel how long to wait, and serves once that is confirmed", async () => {
    expect(service.status).toEqual({ state: "starting", timeoutMs: 2000, requests: 0, failures: 0, overruns: 0 });
    service.refresh();
    await clock.settle();
    expect(service.status.state).toBe("serving");
    const [told] = kernel.received;
    // The recorded bytes of vectors/netlink/set-timeout-op, but for NLM_F_ACK, sequence number and pid.
    expect(told?.toString("hex")).toBe("1800000001100500010000004d00000008000220d0070000");
    expect(decodeNetlinkLsRequest(told ?? Buffer.alloc(0))).toMatchObject({ kind: "other" });
  });

  it("answers with the sequence number of the request, several messages in one datagram too", async () => {
    service.refresh();
    await clock.settle();
    const first = kernel.ask(request(5));
    const second = new Promise<Buffer>((resolve) => {
      void kernel.ask(request(6)).then(resolve);
    });
    kernel.deliver(Buffer.concat([request(8), request(9)]));
    await clock.settle();
    for (const [answer, sequence] of [
      [await first, 5],
      [await second, 6],
    ] as const) {
      expect(decodeNetlinkLsAnswer(answer)).toMatchObject({
        header: { type: NetlinkLs.RESOLVE, flags: 0, sequence, pid: 77 },
        isFailure: false,
        paths: [{ flags: 0x2b }],
      });
    }
    expect(kernel.received.map((message) => decodeNetlinkHeader(message).sequence)).toEqual([1, 5, 6, 8, 9]);
    expect(service.status.requests).toBe(4);
  });

  it("gives the engine less time than the kernel waits", async () => {
    const deadlines: (number | undefined)[] = [];
    whenAsked(({ deadlineMs }) => {
      deadlines.push(deadlineMs);
      return Promise.reject(new Error("nothing"));
    });
    for (const timeoutMs of [2000, 100, 60_000]) {
      service.refresh(timeoutMs);
      kernel.deliver(request(3));
      await clock.settle();
    }
    expect(deadlines).toEqual([1800, 80, 54_000]);
    expect(kernel.received.filter((message) => decodeNetlinkHeader(message).type === 0x1001)).toHaveLength(3);
  });

  it.each([
    [1, "EPERM: answering the kernel needs root or CAP_NET_ADMIN"],
    [22, "EINVAL: the kernel asks only in the host's network namespace, and only with ib_core loaded"],
    [95, "errno 95"],
  ])("is lost, and leaves the group, when the kernel refuses with errno %i", async (errno, words) => {
    kernel.refusal = errno;
    service.refresh();
    await clock.settle();
    expect(service.status).toMatchObject({ state: "lost", reason: `the kernel refuses: ${words}` });
    expect(service.status.remedy !== undefined).toBe(errno !== 95);
    expect(kernel.listeners).toBe(0);
    expect(warnings()).toHaveLength(1);
  });

  it("is lost when the kernel confirms nothing", async () => {
    kernel.refusal = undefined;
    service.refresh();
    await clock.advance(999);
    expect(service.status.state).toBe("starting");
    await clock.advance(1);
    await new Promise(setImmediate);
    expect(service.status).toMatchObject({ state: "lost", reason: expect.stringContaining("does not confirm") });
  });

  it("serves when this process was too busy to read the confirmation in time", async () => {
    kernel.refusal = undefined;
    const confirmation = "240000000200000001000000000000000000000018000000011005000100000000000000";
    // As in an event loop that is late: the timers first, then what has arrived.
    clock.schedule(1000, () => setImmediate(() => kernel.deliver(Buffer.from(confirmation, "hex"))));
    service.refresh();
    await clock.advance(1000);
    await new Promise(setImmediate);
    expect(service.status).toMatchObject({ state: "serving" });
    expect(warnings()).toEqual([]);
  });

  it("is lost, with one warning, while the socket cannot be opened; and found again", async () => {
    kernel.openError = new Error("socket: Protocol not supported");
    service.refresh();
    service.refresh();
    expect(service.status).toMatchObject({ state: "lost", reason: expect.stringContaining("Protocol not supported") });
    expect(warnings()).toHaveLength(1);
    kernel.openError = undefined;
    service.refresh();
    await clock.settle();
    expect(service.status).toMatchObject({ state: "serving" });
    expect(service.status).not.toHaveProperty("reason");
  });

  it("tries again by itself, after 1, 2, 4 … seconds, then once a minute, and shows the loss meanwhile", async () => {
    kernel.openError = new Error("socket: Protocol not supported");
    service.refresh();
    const at: number[] = [];
    for (let second = 0; second < 300; second += 1) {
      const before = kernel.opened.length;
      await clock.advance(1_000);
      if (kernel.opened.length > before) at.push(second + 1);
      expect(service.status.state).toBe("lost");
    }
    expect(at).toEqual([1, 3, 7, 15, 31, 63, 123, 183, 243]);
    expect(warnings()).toHaveLength(1);
    kernel.openError = undefined;
    await clock.advance(60_000);
    expect(service.status).toMatchObject({ state: "serving" });
    expect(clock.pending).toBe(0);
    expect(lines.at(-1)).toEqual(["info", "path queries of the kernel are answered", { timeoutMs: 2000 }]);
  });

  it("leaves the group between its tries, and begins with short pauses after a refresh or a success", async () => {
    kernel.refusal = 1;
    service.refresh();
    await clock.advance(8_000);
    expect(kernel.opened).toHaveLength(4);
    expect(kernel.listeners).toBe(0);
    service.refresh();
    await clock.advance(1_000);
    expect(kernel.opened).toHaveLength(6);
    kernel.refusal = 0;
    await clock.advance(2_000);
    expect(service.status.state).toBe("serving");
    kernel.refusal = 1;
    service.refresh();
    await clock.advance(1_000);
    expect(kernel.opened).toHaveLength(8);
  });

  it("hears only the reply to its last word", async () => {
    service.refresh();
    service.refresh();
    await clock.settle();
    const stale = Buffer.from("24000000020000000100000000000000ffffffff18000000011005000100000000000000", "hex");
    kernel.deliver(stale);
    await clock.settle();
    expect(service.status.state).toBe("serving");
  });

  it("passes over an answer that the kernel refuses, and what is no message", async () => {
    service.refresh();
    await clock.settle();
    // EPERM about a RESOLVE answer; an error message too short for what it is about; a length beyond the datagram; a lone byte.
    kernel.deliver(Buffer.from("24000000020000000700000000000000ffffffff10000000001000000700000000000000", "hex"));
    kernel.deliver(Buffer.from("14000000020000000700000000000000ffffffff", "hex"));
    kernel.deliver(Buffer.from("ff000000001000000700000000000000", "hex"));
    kernel.deliver(Buffer.from("00", "hex"));
    kernel.deliver(Buffer.alloc(0));
    await clock.settle();
    expect(service.status).toMatchObject({ state: "serving", requests: 0 });
    expect(warnings()).toEqual([]);
    expect(lines.filter(([level]) => level === "debug")).toHaveLength(3);
  });

  it("counts overruns, and warns at most every ten seconds", async () => {
    service.refresh();
    for (let i = 0; i < 100; i++) kernel.overrun();
    await clock.settle();
    expect(service.status.overruns).toBe(100);
    expect(warnings()).toHaveLength(1);
    await clock.advance(10_000);
    kernel.overrun();
    await clock.settle();
    expect(lines.filter(([level]) => level === "warn").map(([, , fields]) => fields)).toEqual([
      { times: 1 },
      { times: 101 },
    ]);
  });

  it("fails requests in work when it is closed, and takes no more", async () => {
    service.refresh();
    await clock.settle();
    whenAsked(
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => {
            reject(new Error("aborted"));
          });
        }),
    );
    const answer = kernel.ask(request(5));
    await clock.settle();
    const [first, second] = [service.close(), service.close()];
    expect(second).toBe(first);
    await first;
    expect(decodeNetlinkLsAnswer(await answer)).toMatchObject({ isFailure: true, header: { sequence: 5 } });
    service.refresh();
    expect(kernel.opened).toHaveLength(1);
  });

  it("is lost when the socket breaks", async () => {
    service = new KernelService({
      open: () => ({
        ...kernel.open(),
        events: () => ({
          next: () => Promise.reject(new Error("the socket broke")),
          [Symbol.asyncIterator]() {
            return this;
          },
        }),
      }),
      engine,
      edge: new AcmEdgeCounters(),
      clock,
      logger,
      timeoutMs: 2000,
      pid: 77,
    });
    service.refresh();
    await clock.settle();
    expect(service.status).toMatchObject({ state: "lost", reason: "Error: the socket broke" });
  });
});

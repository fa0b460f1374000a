/** The whole list of faults as one scenario file, replayed; the event log and a trace tell what each of them did. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  describePacket,
  type FabricLogEntry,
  type RunningFabric,
  SimControlClient,
  startFabric,
  type TracePacketMessage,
  twoLevel,
} from "@verbena/fabric-sim";
import { encodeSaMad, MadMethod, SaAttribute } from "@verbena/ib";
import { parseScenario, runScenario } from "../src/commands/sim/scenario.js";

const TIMEOUT_MS = 60_000;
const QUESTION = encodeSaMad({ method: MadMethod.GET, tid: 0n, attributeId: SaAttribute.CLASS_PORT_INFO }).toString(
  "hex",
);

/** Requests, and what the event log has to say after each, in this order; other entries may stand between. */
const CHANGES: readonly (readonly [string, readonly string[]])[] = [
  ["link down H8", ["link H8[1] down", "port H8[1] down", "H8[1] port-err", "out H8[1]"]],
  ["link up H8", ["link H8[1] up", "H8[1] port-active", "H8[1] client-reregister"]],
  ["link flap H2 1ms 2", ["link H2[1] down", "link H2[1] up", "link H2[1] down", "link H2[1] up", "H2[1] port-active"]],
  ["node reboot L2 1ms", ["link L2[1] down", "routes gone from L2", "link L2[1] up", "routes of L2"]],
  ["lid change H3", ["port H3[1] active", "H3[1] lid-change"]],
  ["gid H4 1 0x0002c903deadbeef", ["port H4[1] fe80::2:c903:dead:beef", "H4[1] gid-change"]],
  ["pkey H4 1 0x8001", ["port H4[1] 0x8001", "H4[1] pkey-change"]],
  ["reregister", ["taken-over", "H2[1] client-reregister"]],
  ["node remove H7", ["link H7[1] down", "out H7[1]"]],
  ["node restore H7", ["link H7[1] up", "H7[1] port-active"]],
  // A way without a way back: H4 reaches H5, and H5 no longer H4.
  ["route cut H5 H4", ["routes gone from L2", "no path H5[1] H4[1]"]],
  ["sweep", ["routes of L2", "path H5[1] H4[1]"]],
];

/** Requests that act on packets, and what a trace then shows of questions that H2 asks the SA on H1. */
const ON_PACKETS: readonly (readonly [request: string, questions: number, sees: readonly string[]])[] = [
  ["fault set H2 loss=100", 1, ["drop fault"]],
  ["fault set H2 delay=30ms jitter=10ms", 1, ["asked after 30 ms", "answer"]],
  ["fault set H2 duplicate=100", 1, ["asked", "asked"]],
  ["fault set H2 reorder=100", 1, ["asked after 10 ms", "answer"]],
  ["fault clear", 1, ["asked", "answer"]],
  ["sa silent", 1, ["asked"]],
  ["sa busy", 1, ["asked", "answer 1"]],
  ["sa slow 10s 30ms", 1, ["asked", "answer after 30 ms"]],
  ["sa twice", 1, ["answer", "answer"]],
  ["sa unordered", 2, ["answer to 2", "answer to 1"]],
  ["sa wrong-tid", 1, ["answer to nobody"]],
  ["sa normal", 1, ["answer to 1"]],
];

/** An entry in the words of the list above; a port entry says all that it has. */
function told(entry: FabricLogEntry): readonly string[] {
  switch (entry.type) {
    case "link":
      return [`link ${entry.end} ${entry.isUp ? "up" : "down"}`];
    case "port":
      return [entry.port.state, ...entry.port.gids, ...entry.port.pkeys].map(
        (word) => `port ${entry.port.end} ${word}`,
      );
    case "tables":
      return [
        `${entry.tables.routes.every(([, port]) => port === 255) ? "routes gone from" : "routes of"} ${entry.tables.node}`,
      ];
    case "async-event":
      return [`${entry.end} ${entry.event}`];
    case "sm":
      return [
        entry.change === "taken-over" ? "taken-over" : `${entry.change === "port-out" ? "out" : "in"} ${entry.name}`,
      ];
    case "paths":
      return [
        ...entry.removed.map(({ from, to }) => `no path ${from} ${to}`),
        ...entry.changed.map(({ from, to }) => `path ${from} ${to}`),
      ];
    default:
      return [];
  }
}

/** True if all of `wanted` stand in `words`, in that order. */
function inOrder(words: readonly string[], wanted: readonly string[]): boolean {
  let at = 0;
  for (const word of words) if (word === wanted[at]) at++;
  return at === wanted.length;
}

describe("the list of faults", () => {
  const base = mkdtempSync(join(tmpdir(), "flt-"));
  const ended = new AbortController();
  let fabric: RunningFabric;
  let control: SimControlClient;

  beforeAll(async () => {
    fabric = await startFabric({ topology: twoLevel({ hosts: 8 }), dir: join(base, "fabric") });
    control = await SimControlClient.connect(fabric.dir);
  }, TIMEOUT_MS);

  afterAll(async () => {
    ended.abort();
    await control.close();
    await fabric.close();
    rmSync(base, { recursive: true, force: true });
  }, TIMEOUT_MS);

  /** Replays a scenario, a second a line; a second takes as long as `effect` of the line before. */
  const replay = async (requests: readonly string[], effect: (index: number) => Promise<void>) => {
    const text = requests.map((request, index) => `${index}s ${request}`).join("\n");
    let sent: Promise<unknown> = Promise.resolve();
    let done = -1;
    const settled = async () => {
      await sent;
      await effect(++done);
    };
    await runScenario(parseScenario(text, "faults.scn"), {
      send: (request) => {
        sent = control.request(request);
        return sent;
      },
      wait: settled,
      onStep: () => undefined,
    });
    await settled();
    expect(done).toBe(requests.length - 1);
  };

  it(
    "each change is in the event log",
    async () => {
      const words: string[] = [];
      let look = (): void => undefined;
      let on = (): void => undefined;
      const isOn = new Promise<void>((settle) => {
        on = settle;
      });
      const reading = (async () => {
        for await (const entry of SimControlClient.watchEvents(fabric.dir, { signal: ended.signal })) {
          if (entry.type === "snapshot") on();
          words.push(...told(entry));
          look();
        }
      })();
      await isOn;
      await replay(
        CHANGES.map(([request]) => request),
        (index) =>
          new Promise((settle) => {
            look = () => {
              if (!inOrder(words, CHANGES[index]?.[1] ?? [])) return;
              words.splice(0);
              look = () => undefined;
              settle();
            };
            look();
          }),
      );
      ended.abort();
      await reading;
    },
    TIMEOUT_MS,
  );

  it(
    "each fault of packets and of the SA is in a trace",
    async () => {
      const tracing = new AbortController();
      let take = (_message: TracePacketMessage): void => undefined;
      let on = (): void => undefined;
      const isOn = new Promise<void>((settle) => {
        on = settle;
      });
      const reading = (async () => {
        for await (const message of SimControlClient.trace(fabric.dir, { class: "SA", signal: tracing.signal })) {
          if (message.type === "synced") on();
          if (message.type === "packet") take(message);
        }
      })();
      await isOn;
      await replay(
        ON_PACKETS.map(([request]) => request),
        async (index) => {
          const [request, questions, sees] = ON_PACKETS[index] ?? ["", 0, []];
          const left = [...sees];
          const tids: string[] = [];
          let [since, asked] = [0, 0];
          const seen = new Promise<void>((settle, refuse) => {
            take = ({ event, port, reason, timeMs, bytes }) => {
              const { mad } = describePacket(Buffer.from(bytes, "hex"));
              if (event === "send" && port === "H2[1]") {
                tids.push(mad?.tid ?? "");
                since = timeMs;
              }
              const [wanted = ""] = left;
              const isFor = (name: string) => wanted.startsWith(name);
              // Timers of Node count whole milliseconds: one may end up to a millisecond early.
              const late = Number(/after (\d+) ms/.exec(wanted)?.[1] ?? 0) - 1;
              if (event === "drop" && isFor("drop")) {
                if (`drop ${reason}` !== wanted) refuse(new Error(`${request}: drop ${reason}`));
                left.shift();
              } else if (event === "deliver" && port === "H1[1]") {
                if (isFor("asked")) {
                  if (timeMs - since < late) refuse(new Error(`${request}: asked after ${timeMs - since} ms`));
                  left.shift();
                }
                asked = timeMs;
              } else if (event === "deliver" && port === "H2[1]" && isFor("answer")) {
                const to = tids.indexOf(mad?.tid ?? "") + 1;
                const answer = {
                  after: timeMs - asked >= late,
                  status: mad?.status,
                  to: to === 0 ? "nobody" : String(to),
                };
                const status = Number(/^answer (\d+)$/.exec(wanted)?.[1] ?? 0);
                const expected = { after: true, status, to: /to (\w+)$/.exec(wanted)?.[1] ?? answer.to };
                if (JSON.stringify(answer) !== JSON.stringify(expected)) {
                  refuse(new Error(`${request}: ${wanted}, but ${JSON.stringify(answer)}`));
                }
                left.shift();
              }
              if (left.length === 0) settle();
            };
          });
          for (let n = 0; n < questions; n++)
            await control.request({ op: "send", from: "H2", to: "H1", mad: QUESTION });
          await seen;
          take = () => undefined;
        },
      );
      const { saUnanswered, saBusy } = await control.request({ op: "counters" });
      expect([saUnanswered > 0, saBusy > 0]).toEqual([true, true]);
      tracing.abort();
      await reading;
    },
    TIMEOUT_MS,
  );
});

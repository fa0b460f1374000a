import { failureOf } from "../../../test/support/failure-of.js";
import { parseControlWords } from "./control-words.js";

describe("parseControlWords", () => {
  it.each([
    ["status", { op: "status" }],
    ["counters", { op: "counters" }],
    ["topology", { op: "topology" }],
    ["reregister", { op: "sm", action: "reregister" }],
    ["sweep", { op: "sm", action: "sweep" }],
    ["hand-over H2", { op: "sm", action: "hand-over", end: "H2" }],
    ["link down H2", { op: "link", action: "down", end: "H2" }],
    ["link up L1[3]", { op: "link", action: "up", end: "L1[3]" }],
    ["sa silent", { op: "sa", mode: "silent" }],
    ["sa busy 5s", { op: "sa", mode: "busy", durationMs: 5000 }],
    ["sa slow 1m 20ms", { op: "sa", mode: "slow", durationMs: 60_000, delayMs: 20 }],
    ["sa wrong-tid 1m", { op: "sa", mode: "wrong-tid", durationMs: 60_000 }],
    ["sa normal", { op: "sa", mode: "normal" }],
    ["addr add H1 192.0.2.1/24", { op: "addr", action: "add", node: "H1", address: "192.0.2.1/24" }],
    [
      "addr add H1[2] 2001:db8::1/64 0x8001",
      { op: "addr", action: "add", node: "H1[2]", address: "2001:db8::1/64", pkey: "0x8001" },
    ],
    ["addresses", { op: "addresses" }],
    ["addresses H1", { op: "addresses", node: "H1" }],
    ["addr del 192.0.2.1", { op: "addr", action: "del", address: "192.0.2.1" }],
    ["addr move 192.0.2.1 H2", { op: "addr", action: "move", address: "192.0.2.1", node: "H2" }],
    ["lid change H1", { op: "lid", action: "change", end: "H1" }],
    ["fault list", { op: "fault", action: "list" }],
    ["fault clear", { op: "fault", action: "clear" }],
    ["fault clear H2", { op: "fault", action: "clear", end: "H2" }],
    [
      "fault set H2[1] loss=2.5% delay=10ms jitter=1s",
      { op: "fault", action: "set", end: "H2[1]", lossPercent: 2.5, delayMs: 10, jitterMs: 1000 },
    ],
    ["fault set all duplicate=1 reorder=2", { op: "fault", action: "set", duplicatePercent: 1, reorderPercent: 2 }],
    ["fault set H2 loss=30 traffic=data", { op: "fault", action: "set", end: "H2", lossPercent: 30, traffic: "data" }],
    ["node describe H1 renamed", { op: "node", action: "describe", node: "H1", text: "renamed" }],
    ["link flap H2", { op: "link", action: "flap", end: "H2" }],
    ["link flap H2 50ms 3", { op: "link", action: "flap", end: "H2", downMs: 50, times: 3 }],
    ["node remove H2", { op: "node", action: "remove", node: "H2" }],
    ["node restore H2", { op: "node", action: "restore", node: "H2" }],
    ["node reboot L1 2s", { op: "node", action: "reboot", node: "L1", downMs: 2000 }],
    ["route cut H1 H8", { op: "route", action: "cut", from: "H1", to: "H8" }],
    ["trap L1[2] 129", { op: "trap", end: "L1[2]", trap: 129 }],
    ["gid H1 1 0x2c903000000aa", { op: "gid", end: "H1", index: 1, guid: "0x2c903000000aa" }],
    ["gid H1 1 clear", { op: "gid", end: "H1", index: 1 }],
    ["pkey H1[1] 0 0x8007", { op: "pkey", end: "H1[1]", index: 0, pkey: "0x8007" }],
    ["pkey H1 3 clear", { op: "pkey", end: "H1", index: 3 }],
    ["paths", { op: "paths" }],
    ["paths H1 H8", { op: "paths", from: "H1", to: "H8" }],
    ["routes H1 H8", { op: "routes", from: "H1", to: "H8" }],
  ])("%s", (line, request) => {
    expect(parseControlWords(line.split(" "))).toEqual(request);
  });

  it.each([
    "status now",
    "link",
    "link down",
    "link sideways H2",
    "link down H2 H3",
    "sa",
    "sa deaf",
    "addr",
    "addr add H1",
    "addresses H1 H2",
    "addr del 192.0.2.1 H1",
    "addr move 192.0.2.1",
    "addr move 192.0.2.1 H2 0xffff",
    "lid H1",
    "fault",
    "fault set H2",
    "fault set H2 loss=101",
    "fault set H2 loss=",
    "fault set H2 noise=1",
    "fault set H2 loss=1 traffic=some",
    "fault list H2",
    "node describe H1",
    "node H1",
    "node remove H1 H2",
    "node reboot",
    "link flap",
    "link flap H2 50ms 3 4",
    "route cut H1",
    "routes H1",
    "paths H1 H2 H3",
    "trap L1[2] 128",
    "trap L1[2]",
    "gid H1 0 0x1",
    "gid H1 1",
    "pkey H1 64 0x8001",
    "pkey H1",
    "nonsense",
  ])("refuses %s", (line) => {
    expect(failureOf(() => parseControlWords(line.split(" ")))).toMatchObject({ code: "VERBENA_CLI_USAGE_ARGUMENT" });
  });

  it("refuses a wrong duration", () => {
    expect(failureOf(() => parseControlWords(["sa", "busy", "long"]))).toMatchObject({
      code: "VERBENA_CLI_USAGE_DURATION",
    });
  });
});

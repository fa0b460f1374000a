import { encodeSaMad, encodeSmp, Lid, MadMethod, MgmtClass, SaAttribute, SmAttribute, sealIbPacket } from "@verbena/ib";
import type { TraceLostMessage, TracePacketMessage, TraceSelection } from "../src/control/protocol.js";
import { Simulation } from "../src/process/simulation.js";
import { twoLevel } from "../src/topology/generate.js";
import { describePacket } from "../src/trace/describe-packet.js";
import { PcapngEncoder } from "../src/trace/pcapng.js";
import { traceFilter } from "../src/trace/trace-filter.js";
import { TraceStream } from "../src/trace/trace-stream.js";
import { failureOf } from "./failure-of.js";
import { smpPacket } from "./mad-packets.js";
import { ManualServices } from "./manual-services.js";
import { SaClient } from "./sa-client.js";

type Message = TracePacketMessage | TraceLostMessage;

/** H2 on L1 asks the SA at H1. */
function start(selection: TraceSelection = {}) {
  const services = new ManualServices();
  const simulation = new Simulation(twoLevel({ hosts: 8 }), services);
  services.run();
  const client = new SaClient(simulation, services, "H2");
  const messages: Message[] = [];
  const room = { isFull: false };
  const stream = new TraceStream(simulation.fabric, {
    filter: traceFilter(simulation.fabric, selection),
    reader: { isFull: () => room.isFull, write: (message) => messages.push(message) },
    wallClock: () => 1_800_000_000_000.25,
  });
  const ask = (attributeId: number = SaAttribute.CLASS_PORT_INFO) => {
    client.request({ method: MadMethod.GET, attributeId });
    return messages.splice(0);
  };
  return { services, simulation, client, stream, room, messages, ask };
}

const packetsOf = (messages: readonly Message[]) => messages.filter((message) => message.type === "packet");
const linesOf = (messages: readonly Message[]) =>
  packetsOf(messages).map(({ number, event, port, peer }) => [
    number,
    event,
    port,
    ...(peer === undefined ? [] : [peer]),
  ]);

describe("a trace", () => {
  it("tells what happens to each packet, where, when and between whom", () => {
    const { ask } = start();
    const [first, second, ...rest] = ask();
    expect(first).toMatchObject({
      type: "packet",
      number: 1,
      event: "send",
      port: "H2[1]",
      from: "H2[1]",
      to: "H1[1]",
      timeMs: 0,
      epochMs: 1_800_000_000_000.25,
    });
    expect(second).toMatchObject({ number: 1, event: "forward", port: "H2[1]", peer: "L1[2]" });
    expect(linesOf(rest)).toEqual([
      [1, "forward", "L1[1]", "H1[1]"],
      [1, "deliver", "H1[1]"],
      [2, "send", "H1[1]"],
      [2, "forward", "H1[1]", "L1[1]"],
      [2, "forward", "L1[2]", "H2[1]"],
      [2, "deliver", "H2[1]"],
    ]);
  });

  it.each<[string, TraceSelection, number]>([
    ["a node", { node: "H1" }, 4],
    ["a port of any node", { port: 2 }, 2],
    ["a port of a node", { node: "L1", port: 2 }, 2],
    ["a class", { class: "sa" }, 8],
    ["a class that nothing has", { class: "SM" }, 0],
    ["a number", { class: "0x03", attribute: "1" }, 8],
    ["an attribute", { attribute: "PathRecord" }, 0],
    ["an attribute of any class", { attribute: "classportinfo" }, 8],
    ["events", { events: ["send", "deliver"] }, 4],
    ["all at once", { node: "H1", class: "SA", attribute: "ClassPortInfo", events: ["deliver"] }, 1],
  ])("shows only %s", (_name, selection, count) => {
    expect(start(selection).ask()).toHaveLength(count);
  });

  it.each<[string, TraceSelection, string]>([
    ["a node", { node: "H9" }, "VERBENA_SIM_NODE_UNKNOWN"],
    ["a class", { class: "SMM" }, "VERBENA_SIM_CONTROL_REQUEST"],
    ["an attribute", { class: "SA", attribute: "PathRecrod" }, "VERBENA_SIM_CONTROL_REQUEST"],
  ])("refuses %s that is not there", (_name, selection, code) => {
    const { simulation } = start();
    expect(failureOf(() => traceFilter(simulation.fabric, selection)).code).toBe(code);
  });

  it("means both classes of subnet management by SM", () => {
    const { simulation, services, messages, client } = start({ class: "sm", events: ["send"] });
    const smp = encodeSmp({
      mgmtClass: MgmtClass.SUBN_DIRECTED_ROUTE,
      method: MadMethod.GET,
      tid: 1n,
      attributeId: SmAttribute.NODE_INFO,
      drSlid: Lid.PERMISSIVE,
      drDlid: Lid.PERMISSIVE,
    });
    client.send(encodeSaMad({ method: MadMethod.GET, tid: 1n, attributeId: SaAttribute.NODE_RECORD }));
    simulation.host.sendFrom(simulation.fabric.portNamed("H3"), smpPacket(smp));
    services.run();
    expect(packetsOf(messages).map(({ bytes }) => describePacket(Buffer.from(bytes, "hex")).mad?.class)).toEqual([
      "SM-DR",
      "SM-DR",
    ]);
  });

  it("never waits for its reader: what there is no room for is counted and told", () => {
    const { ask, room, stream, messages } = start();
    room.isFull = true;
    expect(ask()).toEqual([]);
    stream.resume();
    expect(messages).toEqual([]);
    room.isFull = false;
    expect(ask()[0]).toEqual({ type: "lost", count: 8 });
    room.isFull = true;
    ask();
    room.isFull = false;
    stream.resume();
    expect(messages).toEqual([{ type: "lost", count: 8 }]);
  });

  it("ends, and the fabric has nobody to tell any more", () => {
    const { ask, stream, simulation } = start();
    expect(simulation.fabric.trace.isEmpty).toBe(false);
    stream.close();
    expect(simulation.fabric.trace.isEmpty).toBe(true);
    expect(ask()).toEqual([]);
  });
});

describe("the description of a packet", () => {
  it("has headers, and the names of what the MAD asks", () => {
    const { ask } = start();
    const [question] = packetsOf(ask(SaAttribute.PATH_RECORD));
    expect(describePacket(Buffer.from(question!.bytes, "hex"))).toEqual({
      lrh: { vl: 0, sl: 0, dlid: 1, slid: 4 },
      bth: { opcode: 0x64, operation: "UD SEND only", pkey: "0xffff", destQpn: 1, psn: 0 },
      deth: { qkey: "0x80010000", srcQpn: 1 },
      payloadLength: 256,
      mad: {
        class: "SA",
        mgmtClass: 3,
        classVersion: 2,
        method: "Get",
        attribute: "PathRecord",
        attributeId: 0x35,
        attributeModifier: 0,
        tid: "0000000000000001",
        status: 0,
        statusText: "ok",
      },
    });
  });

  it("says what bytes are that are no packet", () => {
    for (let length = 0; length < 300; length += 7) {
      expect(describePacket(Buffer.alloc(length, length)).problem).toMatch(/IbPacket/);
    }
  });
});

describe("a capture file", () => {
  it("is blocks of pcapng with one interface for each place", () => {
    const encoder = new PcapngEncoder();
    const bytes = smpPacket(Buffer.alloc(256, 1));
    const add = (interfaceName: string) =>
      encoder.packet({ interfaceName, epochMs: 1500.5, bytes, comment: "drop: pkey" });
    const file = Buffer.concat([encoder.header(), add("H1[1]"), add("H2[1]"), add("H1[1]")]);
    const blocks = [...blocksOf(file)];
    expect(blocks.map(({ type }) => type)).toEqual([0x0a0d0d0a, 1, 6, 1, 6, 6]);
    expect(
      blocks
        .slice(2)
        .filter(({ type }) => type === 6)
        .map(({ body }) => body.readUInt32LE(0)),
    ).toEqual([0, 1, 0]);
    const [packet] = blocks.filter(({ type }) => type === 6);
    // Microseconds; then the ERF header with the time of day in fixed point, type 21, and its lengths.
    expect(packet!.body.readUInt32LE(8)).toBe(1_500_500);
    const record = packet!.body.subarray(20, 20 + packet!.body.readUInt32LE(12));
    expect(record.readUInt32LE(4)).toBe(1);
    expect(record.readUInt32LE(0) / 2 ** 32).toBeCloseTo(0.5005, 6);
    expect([record[8], record.readUInt16BE(10), record.readUInt16BE(14)]).toEqual([21, 16 + 290, 290]);
    expect(record.subarray(16)).toEqual(sealIbPacket(bytes));
  });
});

function* blocksOf(file: Buffer): Generator<{ readonly type: number; readonly body: Buffer }> {
  for (let at = 0; at < file.length; ) {
    const length = file.readUInt32LE(at + 4);
    expect(file.readUInt32LE(at + length - 4)).toBe(length);
    yield { type: file.readUInt32LE(at), body: file.subarray(at + 8, at + length - 4) };
    at += length;
  }
}

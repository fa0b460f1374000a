import { decodeIbPacket, encodeSaMad, Lid, MadMethod, MgmtClass, PKey, SaAttribute } from "@verbena/ib";
import fc from "fast-check";
import type { SendRequest } from "../src/control/protocol.js";
import type { FabricManagement } from "../src/process/simulation.js";
import { Simulation } from "../src/process/simulation.js";
import { twoLevel } from "../src/topology/generate.js";
import { describePacket } from "../src/trace/describe-packet.js";
import { rejectionOf } from "./failure-of.js";
import { gsiPacket, smpPacket } from "./mad-packets.js";
import { ManualServices } from "./manual-services.js";

const QUESTION = encodeSaMad({ method: MadMethod.GET, tid: 0n, attributeId: SaAttribute.CLASS_PORT_INFO });
const MULTICAST = "0xc000";

function start(sm: FabricManagement = "builtin") {
  const services = new ManualServices();
  const simulation = new Simulation(twoLevel({ hosts: 8 }), services, { sm });
  services.run();
  const steps: string[] = [];
  simulation.fabric.trace.add((record) => {
    if (record.type === "deliver") steps.push(`deliver ${record.port.name}`);
    if (record.type === "drop") steps.push(`drop ${record.port.name} ${record.reason}`);
  });
  const send = async (request: Partial<SendRequest>, passMs = 0) => {
    const sent = simulation.injector.send({ from: "H2", to: "H1", mad: QUESTION.toString("hex"), ...request });
    // A refusal is the test's to look at.
    sent.catch(() => undefined);
    services.run();
    services.advance(passMs);
    return sent;
  };
  return { services, simulation, steps, send };
}

describe("an injected MAD", () => {
  it("is wrapped as its class wants it, with a transaction id of its own, and its answer comes back", async () => {
    const { send } = start();
    const { bytes, answer } = await send({ waitMs: 1000 });
    expect(describePacket(Buffer.from(bytes, "hex"))).toMatchObject({
      lrh: { vl: 0, slid: 4, dlid: 1 },
      bth: { destQpn: 1, pkey: "0xffff" },
      deth: { qkey: "0x80010000", srcQpn: 1 },
      mad: { class: "SA", method: "Get", tid: "fab0000000000001" },
    });
    expect(Buffer.from(answer!, "hex").readUInt8(3)).toBe(MadMethod.GET_RESP);
  });

  it("may have other fields than its class wants", async () => {
    const { send } = start();
    const { bytes } = await send({ pkey: "0x8001", sl: 3, qpn: 0x48, qkey: 7, to: "12" });
    expect(describePacket(Buffer.from(bytes, "hex"))).toMatchObject({
      lrh: { sl: 3, dlid: 12 },
      bth: { destQpn: 0x48, pkey: "0x8001" },
      deth: { qkey: "0x00000007" },
    });
  });

  it("goes from port 0 of a switch too, and to one", async () => {
    const { send } = start();
    expect((await send({ from: "S1", waitMs: 1000 })).answer).toBeDefined();
    const perf = Buffer.from(QUESTION);
    perf[1] = MgmtClass.PERF_MGMT;
    perf[2] = 1;
    expect((await send({ to: "S1", mad: perf.toString("hex"), waitMs: 1000 })).answer).toBeDefined();
  });

  it("without an answer in time gives none, and leaves no timer", async () => {
    const { send, services } = start();
    expect((await send({ to: "999", waitMs: 1000 }, 1000)).answer).toBeUndefined();
    expect(services.timers).toBe(0);
  });

  it("is refused at the door by a port of another partition", async () => {
    const { send, steps } = start();
    await send({ pkey: "0x8001" });
    expect(steps).toEqual(["deliver H1[1]", "drop H1[1] pkey"]);
  });

  it("to a multicast LID follows the tables to the members, and nobody else", async () => {
    const { send, steps, simulation } = start();
    await send({ to: MULTICAST });
    expect(steps.splice(0)).toEqual(["drop L1[2] no-route"]);
    const group = simulation.sm.groups.all()[0]!;
    for (const name of ["H1", "H2", "H6"]) {
      const port = simulation.fabric.portNamed(name);
      simulation.sm.groups.join(group, { port, portGid: port.gid, scope: 2, joinState: 1, proxyJoin: false });
    }
    const { bytes } = await send({ to: MULTICAST });
    expect(decodeIbPacket(Buffer.from(bytes, "hex")).bth.destQpn).toBe(0xff_ffff);
    expect(steps.filter((step) => step.startsWith("deliver")).sort()).toEqual(["deliver H1[1]", "deliver H6[1]"]);
  });

  it.each<[string, Partial<SendRequest>, string]>([
    ["a switch's cabled port", { from: "S1[1]" }, "VERBENA_SIM_PORT_UNKNOWN"],
    ["a node that is not there", { from: "H9" }, "VERBENA_SIM_NODE_UNKNOWN"],
    ["no destination", { to: undefined as unknown as string }, "VERBENA_SIM_CONTROL_REQUEST"],
    ["bytes that are no MAD", { mad: "0102" }, "VERBENA_SIM_CONTROL_REQUEST"],
    ["half a byte", { mad: "012" }, "VERBENA_SIM_CONTROL_REQUEST"],
    ["letters", { packet: "zz" }, "VERBENA_SIM_CONTROL_REQUEST"],
    ["no bytes", { packet: "" }, "VERBENA_SIM_CONTROL_REQUEST"],
    ["more bytes than a packet has", { packet: "00".repeat(8189) }, "VERBENA_SIM_CONTROL_REQUEST"],
    ["an answer to what is no MAD", { packet: "0001", waitMs: 5 }, "VERBENA_SIM_CONTROL_REQUEST"],
    ["a LID that is none", { to: "70000" }, "VERBENA_IB_VALUE"],
    ["a P_Key that is none", { pkey: "0x12345" }, "VERBENA_IB_SYNTAX"],
  ])("refuses %s", async (_name, request, code) => {
    const { send } = start();
    expect((await rejectionOf(send(request))).code).toBe(code);
  });

  it("nobody waits for any more when the fabric closes", async () => {
    const { simulation, services } = start();
    const sent = simulation.injector.send({ from: "H2", to: "999", mad: QUESTION.toString("hex"), waitMs: 60_000 });
    simulation.close();
    expect((await sent).answer).toBeUndefined();
    expect(services.timers).toBe(0);
  });
});

/** Bytes that are wrong at one layer after another; the layers below are right. */
const hostile = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  fc.tuple(fc.uint8Array({ minLength: 8, maxLength: 400 }), fc.constantFrom(2, 3)).map(([bytes, next]) => {
    const packet = Buffer.from(bytes);
    packet[0] = (packet[0] ?? 0) & 0xf0;
    packet[1] = ((packet[1] ?? 0) & 0xfc) | next;
    packet.writeUInt16BE(((packet.length + 4) >>> 2) & 0x7ff, 4);
    return packet;
  }),
  fc
    .record({
      mad: fc.uint8Array({ minLength: 256, maxLength: 256 }),
      mgmtClass: fc.constantFrom(0x01, 0x81, 0x03, 0x04, 0x07, 0x2c, 0x32),
      method: fc.constantFrom(1, 2, 3, 5, 6, 7, 0x12, 0x15, 0x81, 0x86, 0x92),
      attribute: fc.oneof(fc.nat(0x40), fc.constantFrom(0xf3, 0xffff)),
      dlid: fc.oneof(fc.nat(20), fc.constantFrom(0xbfff, 0xc000, 0xc001, 0xfffe, 0xffff)),
      path: fc.array(fc.nat(9), { maxLength: 63 }),
      hops: fc.oneof(fc.nat(255), fc.constant(undefined)),
      isReturning: fc.boolean(),
      pkey: fc.constantFrom(0xffff, 0x7fff, 0x8001, 0),
    })
    .map(({ mad: bytes, mgmtClass, method, attribute, dlid, path, hops, isReturning, pkey }) => {
      const mad = Buffer.from(bytes);
      mad.set([1, mgmtClass, mgmtClass === 3 ? 2 : 1, method]);
      mad.writeUInt16BE(attribute, 16);
      const lids = { slid: Lid.from(4), dlid: Lid.from(dlid) };
      if (mgmtClass !== 0x01 && mgmtClass !== 0x81) return gsiPacket(mad, lids, PKey.from(pkey));
      if (mgmtClass === 0x81) {
        mad.writeUInt16BE(isReturning ? 0x8000 : 0, 4);
        mad.set([isReturning ? path.length + 1 : 0, hops ?? path.length], 6);
        mad.writeUInt32BE(0xffff_ffff, 32);
        mad.set([0, ...path], 128);
      }
      return smpPacket(mad, lids);
    }),
);

describe.each<FabricManagement>(["builtin", "opensm"])("whatever is injected, with %s", (management) => {
  it("the fabric goes on, and says what became of it", () => {
    const { simulation, services } = start(management);
    const events: string[] = [];
    simulation.fabric.trace.add(({ type, packet }) => {
      events.push(type);
      describePacket(packet);
    });
    fc.assert(
      fc.property(hostile, fc.constantFrom("H2[1]", "H5[1]", "S1[0]"), (packet, from) => {
        events.length = 0;
        void simulation.injector.send({ from, packet: packet.toString("hex") });
        services.advance(50);
        expect(events).toEqual(expect.arrayContaining([expect.stringMatching(/^(deliver|drop)$/)]));
      }),
      { numRuns: 3000, seed: 20261130 },
    );
    services.advance(600_000);
    simulation.close();
    expect(services.timers).toBe(0);
  });
});

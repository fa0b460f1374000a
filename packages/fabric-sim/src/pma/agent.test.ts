import {
  BthOpcode,
  decodeClassPortInfo,
  decodeIbPacket,
  encodeIbPacket,
  GSI_QKEY,
  MAD_SIZE,
  MadMethod,
  MadStatus,
  MgmtClass,
  PKey,
} from "@verbena/ib";
import { ManualServices } from "../../test/manual-services.js";
import { Simulation } from "../process/simulation.js";
import { twoLevel } from "../topology/generate.js";
import { PerfAttribute } from "./counters.js";

const DATA = 64;

/** A program on H1 that asks performance management agents; answers are there when a call returns. */
function start() {
  const services = new ManualServices();
  const simulation = new Simulation(twoLevel({ hosts: 4 }), services);
  const { fabric, host } = simulation;
  const own = fabric.portNamed("H1");
  const hca = host.hcas()[0]!;
  const answers: Buffer[] = [];
  host.setReceiver(hca, (_port, packet) => {
    answers.push(decodeIbPacket(packet).payload);
  });
  const ask = (node: string, method: number, attributeId: number, data: Buffer, classVersion = 1) => {
    const mad = Buffer.alloc(MAD_SIZE);
    mad.set([1, MgmtClass.PERF_MGMT, classVersion, method]);
    mad.writeUInt16BE(attributeId, 16);
    mad.set(data, DATA);
    const target = fabric.nodeById(node)?.endPorts[0];
    const packet = encodeIbPacket({
      lrh: { vl: 0, sl: 0, dlid: target!.lid, slid: own.lid },
      bth: {
        opcode: BthOpcode.UD_SEND_ONLY,
        solicited: false,
        migration: true,
        pkey: PKey.DEFAULT,
        destQpn: 1,
        ackRequest: false,
        psn: 0,
      },
      deth: { qkey: GSI_QKEY, srcQpn: 1 },
      payload: mad,
    });
    host.inject(hca, 1, packet);
    services.run();
    const answer = answers.pop();
    if (answer === undefined) throw new Error("no answer");
    return { method: answer.readUInt8(3), status: answer.readUInt16BE(4), data: answer.subarray(DATA) };
  };
  const select = (port: number, counters = 0) => Buffer.from([0, port, counters >>> 8, counters & 0xff]);
  const packets = (node: string, port: number) =>
    ask(node, MadMethod.GET, PerfAttribute.PORT_COUNTERS, select(port)).data.readUInt32BE(36);
  return { fabric, services, ask, select, packets };
}

it("counts what a port receives, and is cleared by the bits of CounterSelect", () => {
  const { ask, select, packets } = start();
  // The question itself has arrived when the answer is made.
  expect([packets("H3", 1), packets("H3", 1)]).toEqual([1, 2]);
  const cleared = ask("H3", MadMethod.SET, PerfAttribute.PORT_COUNTERS, Buffer.concat([select(1, 0x8000)], 192));
  expect([cleared.method, cleared.status, cleared.data.readUInt32BE(36)]).toEqual([MadMethod.GET_RESP, 0, 0]);
  // Packets sent were not selected: two answers so far.
  expect(cleared.data.readUInt32BE(32)).toBe(2);
  expect(packets("H3", 1)).toBe(1);
});

it("gives 64-bit counters, and the sum of all ports of a switch", () => {
  const { ask, select, packets } = start();
  for (let n = 0; n < 3; n++) packets("H3", 1);
  const extended = ask("H3", MadMethod.GET, PerfAttribute.PORT_COUNTERS_EXTENDED, select(1));
  // Packets are 284 bytes, 71 words.
  expect([extended.data.readBigUInt64BE(16), extended.data.readBigUInt64BE(32)]).toEqual([284n, 4n]);
  const leaf = ask("L1", MadMethod.GET, PerfAttribute.PORT_COUNTERS, select(0xff)).data;
  const one = ask("L1", MadMethod.GET, PerfAttribute.PORT_COUNTERS, select(1)).data;
  expect(leaf.readUInt32BE(36)).toBeGreaterThan(one.readUInt32BE(36));
});

it("counts a link that went down", () => {
  const { fabric, services, ask, select } = start();
  fabric.setLink(fabric.portNamed("H2"), false);
  services.run();
  expect(ask("L1", MadMethod.GET, PerfAttribute.PORT_COUNTERS, select(2)).data.readUInt8(7)).toBe(1);
});

it("says what it can, and refuses what it cannot", () => {
  const { ask, select } = start();
  const info = decodeClassPortInfo(ask("H3", MadMethod.GET, PerfAttribute.CLASS_PORT_INFO, select(0)).data);
  expect([info.baseVersion, info.classVersion, info.capabilityMask]).toEqual([1, 1, 0x300]);
  const status = (...words: Parameters<typeof ask>) => ask(...words).status;
  expect(status("H3", MadMethod.GET, PerfAttribute.PORT_COUNTERS, select(9))).toBe(MadStatus.INVALID_ATTRIBUTE_VALUE);
  expect(status("H3", MadMethod.GET, 0x7f, select(1))).toBe(MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED);
  expect(status("H3", MadMethod.GET, PerfAttribute.PORT_COUNTERS, select(1), 2)).toBe(MadStatus.BAD_VERSION);
});

it("stays silent to a partition that its port is not in", () => {
  const { fabric, ask, select } = start();
  fabric.portNamed("H3").pkeys = [PKey.from(0x8001)];
  expect(() => ask("H3", MadMethod.GET, PerfAttribute.PORT_COUNTERS, select(1))).toThrow("no answer");
});

import { BthOpcode, encodeIbPacket, GSI_QKEY, Lid, MAD_SIZE, PKey, SaAttribute } from "@verbena/ib";
import fc from "fast-check";
import { Simulation } from "../src/process/simulation.js";
import { fatTree } from "../src/topology/generate.js";
import { ManualServices } from "./manual-services.js";

describe("whatever programs send", () => {
  const services = new ManualServices();
  const simulation = new Simulation(fatTree({ hosts: 6, leafs: 2, spines: 1 }), services);
  const [, h2] = simulation.host.hcas();
  const lids = simulation.fabric.nodes.flatMap((node) => node.endPorts).map((port): number => port.lid);

  const mads = fc
    .record({
      bytes: fc.uint8Array({ minLength: MAD_SIZE, maxLength: MAD_SIZE }),
      mgmtClass: fc.constantFrom(0x03, 0x01, 0x81, 0x04),
      method: fc.constantFrom(0x01, 0x02, 0x12, 0x15, 0x14, 0x81, 0x05),
      attribute: fc.constantFrom(...Object.values(SaAttribute), 0x10, 0x15, 0x16, 0x19, 0x1b, 0x14, 0x20, 0x0999),
      mask: fc.bigInt({ min: 0n, max: (1n << 23n) - 1n }),
      isPlain: fc.boolean(),
    })
    .map(({ bytes, mgmtClass, method, attribute, mask, isPlain }) => {
      const mad = Buffer.from(bytes);
      mad.writeUInt8(1, 0);
      mad.writeUInt8(mgmtClass, 1);
      mad.writeUInt8(mgmtClass === 0x03 ? 2 : 1, 2);
      mad.writeUInt8(method, 3);
      mad.writeUInt16BE(attribute, 16);
      if (isPlain) mad.fill(0, 24, 44);
      mad.writeBigUInt64BE(mask, 48);
      return mad;
    });

  it("the fabric goes on", () => {
    fc.assert(
      fc.property(
        mads,
        fc.constantFrom(...lids, 0, 0xc000, 0xffff, 0xbfff),
        fc.constantFrom(0, 1),
        (mad, dlid, qpn) => {
          const packet = encodeIbPacket({
            lrh: { vl: qpn === 0 ? 15 : 0, sl: 0, dlid: Lid.from(dlid), slid: simulation.fabric.portNamed("H2").lid },
            bth: {
              opcode: BthOpcode.UD_SEND_ONLY,
              solicited: false,
              migration: false,
              pkey: PKey.DEFAULT,
              destQpn: qpn,
              ackRequest: false,
              psn: 0,
            },
            deth: { qkey: GSI_QKEY, srcQpn: qpn },
            payload: mad,
          });
          simulation.host.inject(h2!, 1, packet);
          services.advance(100);
        },
      ),
      { numRuns: 3000 },
    );
    services.advance(60_000);
    expect(services.timers).toBe(0);
  });

  it("bytes that are no packet are dropped", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        simulation.host.inject(h2!, 1, Buffer.from(bytes));
        services.run();
      }),
    );
  });
});

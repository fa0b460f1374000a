import * as fc from "fast-check";
import { FAMILIES } from "../../test/support/families.js";
import { grh } from "../../test/support/grh.js";
import { BASE, gidOf, ip, to } from "../../test/support/parts.js";
import { requestMad, responseMad } from "../protocol/messages.js";
import { type Arrival, readPacket } from "./packet.js";

describe.each(FAMILIES)("$family", ({ host }) => {
  const REQUEST = requestMad(7n, to(host(2)), ip(host(1)), [BASE]);

  function arrival(mad: Buffer, change: Partial<Arrival> = {}): Arrival {
    const bytes = Buffer.concat([grh(gidOf(2), BASE), mad]);
    return { bytes, byteLength: bytes.length, hasGrh: true, slid: 2, srcQpn: 0x50, pathBits: 0, ...change };
  }

  /** The request with one byte changed. */
  const changed = (at: number, value: number): Buffer => {
    const bytes = Buffer.from(REQUEST);
    bytes[at] = value;
    return bytes;
  };

  describe("a datagram", () => {
    it("with a request or a response tells who has sent it: GID of the GRH, LID and QPN of the completion", () => {
      const from = { gid: gidOf(2), lid: 2, qpn: 0x50, pathBits: 0 };
      expect(readPacket(arrival(REQUEST))).toMatchObject({ type: "request", from, mad: { tid: 7n } });
      expect(readPacket(arrival(responseMad(7n, BASE)))).toMatchObject({ type: "response", from });
    });

    it.each<readonly [string, Arrival]>([
      ["length", arrival(REQUEST.subarray(0, 255))],
      ["length", arrival(REQUEST, { byteLength: 2088 })],
      ["no-grh", arrival(REQUEST, { hasGrh: false })],
      ["grh", arrival(REQUEST, { bytes: Buffer.concat([Buffer.alloc(40), REQUEST]) })],
      ["grh", arrival(REQUEST, { bytes: Buffer.concat([grh(BASE, BASE), REQUEST]) })],
      ["sender", arrival(REQUEST, { slid: 0 })],
      ["sender", arrival(REQUEST, { slid: 0xc001 })],
      ["sender", arrival(REQUEST, { srcQpn: 0xff_ffff })],
      ["sender", arrival(REQUEST, { srcQpn: 1 })],
      ["version", arrival(changed(0, 2))],
      ["class", arrival(changed(1, 3))],
      ["version", arrival(changed(2, 2))],
      ["method", arrival(changed(3, 2))],
      ["control", arrival(changed(6, 0x80))],
      ["address-type", arrival(changed(18, 0))],
      ["address-type", arrival(changed(18, 6))],
    ])("is dropped for its %s", (reason, from) => {
      expect(readPacket(from)).toEqual({ type: "dropped", reason });
    });

    it("that counts 255 GIDs has six", () => {
      const packet = readPacket(arrival(changed(20, 255)));
      expect(packet.type === "request" && packet.mad.gids).toHaveLength(6);
    });

    it("of random bytes is never more than dropped", () => {
      const bytes = fc.uint8Array({ minLength: 0, maxLength: 296 });
      const numbers = fc.record({ slid: fc.nat(0xffff), srcQpn: fc.nat(0xff_ffff), hasGrh: fc.boolean() });
      fc.assert(
        fc.property(bytes, numbers, (raw, from) => {
          const packet = readPacket({ bytes: Buffer.from(raw), byteLength: raw.length, pathBits: 0, ...from });
          expect(["request", "response", "dropped"]).toContain(packet.type);
        }),
      );
    });
  });
});

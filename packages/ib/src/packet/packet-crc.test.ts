import { hex } from "../../test/vectors.js";
import { invariantCrc, sealIbPacket, variantCrc } from "./packet-crc.js";

/** The sample packets of IBA 7.8.4: an RDMA write of 14 bytes within a subnet, and the same with a global route header. */
const LOCAL = hex(`7012375c 000e17d2 0a202487 0087b1b3 000dec2a 01710a1c 015d4002 38f27a05 0000000e
  bb884d85 fd5cfba4 728bc069 0ed40000`);
const GLOBAL = hex(`7013375c 001817d2 60000000 00320010 00*6 0125 00*6 0026 00*6 0117 00*6 0096
  0a202487 0087b1b3 000dec2a 01710a1c 015d4002 38f27a05 0000000e bb884d85 fd5cfba4 728bc069 0ed40000`);

describe("the CRCs of a packet", () => {
  it("are those of the architecture's sample", () => {
    expect(sealIbPacket(LOCAL).subarray(-6, -2)).toEqual(hex("9625b75a"));
    // A reader that runs over packet and CRC together always ends at the same remainder.
    expect(variantCrc(sealIbPacket(LOCAL))).toBe(variantCrc(sealIbPacket(GLOBAL)));
  });

  it("change with what a switch changes only in the variant one", () => {
    const onOtherLane = Buffer.from(LOCAL);
    onOtherLane[0] = 0x30;
    expect(invariantCrc(onOtherLane)).toBe(invariantCrc(LOCAL));
    expect(variantCrc(onOtherLane)).not.toBe(variantCrc(LOCAL));
    const routed = Buffer.from(GLOBAL);
    routed.writeUInt16BE(0x1234, 2);
    routed[15] = 9;
    expect(invariantCrc(routed)).toBe(invariantCrc(GLOBAL));
    routed[16] = 0xff;
    expect(invariantCrc(routed)).not.toBe(invariantCrc(GLOBAL));
  });

  it("exist for any bytes", () => {
    for (let length = 0; length < 60; length++) expect(sealIbPacket(Buffer.alloc(length, 3))).toHaveLength(length + 6);
  });
});

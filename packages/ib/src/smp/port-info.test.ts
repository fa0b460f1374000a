import { decodePortInfo, emptyPortInfo, encodePortInfo } from "./port-info.js";

describe("the second set of extended speeds", () => {
  // Byte 56 from bit 6 on, as libibmad cuts it: two bits active, two supported, three enabled. Linux (mlx5) takes XDR active from bit 5.
  it.each([
    [0x29, [1, 1, 1]],
    [0x52, [2, 2, 2]],
    [0x0f, [0, 1, 7]],
    [0xe0, [3, 0, 0]],
  ])("in byte 0x%s is active, supported, enabled %j", (byte, fields) => {
    const wire = encodePortInfo(emptyPortInfo());
    wire[56] = byte;
    const info = decodePortInfo(wire);
    expect([info.linkSpeedExtActive2, info.linkSpeedExtSupported2, info.linkSpeedExtEnabled2]).toEqual(fields);
    expect(encodePortInfo(info)[56]).toBe(byte & 0x7f);
    expect(info.linkRoundTripLatency).toBe(0);
  });
});

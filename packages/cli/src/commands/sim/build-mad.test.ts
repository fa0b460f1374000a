import { decodeSaMad, decodeSmp, smpHops } from "@verbena/ib";
import { buildMad, parseHex } from "./build-mad.js";

describe("a MAD made of words", () => {
  it("is a question to the SA unless told otherwise", () => {
    const words = { attribute: "noderecord", mask: "1", data: "0004 0000", tid: "0x12", modifier: "7" };
    expect(decodeSaMad(buildMad(words))).toMatchObject({
      classVersion: 2,
      method: 1,
      attributeId: 0x11,
      attributeModifier: 7,
      tid: 0x12n,
      componentMask: 1n,
      data: Buffer.concat([Buffer.from([0, 4]), Buffer.alloc(198)]),
    });
  });

  it("takes a directed route", () => {
    const smp = decodeSmp(
      buildMad({ class: "SM-DR", method: "Set", attribute: "PortInfo", path: "0,1,5", data: "ff" }),
    );
    expect(smp).toMatchObject({ mgmtClass: 0x81, method: 2, attributeId: 0x15, drSlid: 0xffff, drDlid: 0xffff });
    expect(smpHops(smp)).toEqual({ pointer: 0, count: 2 });
    expect([...smp.initialPath.subarray(0, 4), smp.data[0]]).toEqual([0, 1, 5, 0, 255]);
  });

  it("takes numbers for everything", () => {
    const mad = buildMad({ class: "0x32", method: "0x7f", attribute: "0xff12", data: "aa" });
    expect([mad[1], mad[3], mad.readUInt16BE(16), mad[24]]).toEqual([0x32, 0x7f, 0xff12, 0xaa]);
  });

  it.each([
    [{ class: "SAA" }, "did you mean SA?"],
    [{ method: "Gett" }, "did you mean Get?"],
    [{ attribute: "PathRecrod" }, "did you mean PathRecord?"],
    [{ tid: "0x1ffffffffffffffff" }, "--tid takes a number of 64 bits"],
    [{ modifier: "-1" }, "--modifier takes a number of 32 bits"],
    [{ path: "0,1" }, "--path belongs to --class SM-DR"],
    [{ class: "SM-DR", path: "1,5" }, "--path takes 0 and the ports to leave by"],
    [{ data: "abc" }, "--data takes pairs of hexadecimal digits"],
    [{ data: "00".repeat(201) }, "--data has at most 200 bytes"],
  ])("%j: %s", (words, said) => {
    expect(() => buildMad(words)).toThrow(said);
  });

  it("has hexadecimal with or without blanks and prefix", () => {
    expect(parseHex("--hex", "0x01 0203\n04")).toEqual(Buffer.from([1, 2, 3, 4]));
  });
});

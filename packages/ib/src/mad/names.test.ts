import {
  madAttributeName,
  madAttributeNamed,
  madMethodName,
  madMethodNamed,
  madNames,
  madStatusText,
  mgmtClassName,
  mgmtClassNamed,
} from "./names.js";

describe("names in MAD headers", () => {
  it("belong to their class", () => {
    expect([mgmtClassName(3), madMethodName(0x92), madAttributeName(3, 0x35)]).toEqual([
      "SA",
      "GetTableResp",
      "PathRecord",
    ]);
    expect([madAttributeName(0x81, 0x11), madAttributeName(3, 0x11), madAttributeName(7, 0x11)]).toEqual([
      "NodeInfo",
      "NodeRecord",
      "MsgRcptAck",
    ]);
    expect(madAttributeName(4, 1)).toBe("ClassPortInfo");
  });

  it("are numbers where nobody gave a name", () => {
    expect([mgmtClassName(0x2d), madMethodName(0x7f), madAttributeName(3, 0xff99)]).toEqual(["0x2d", "0x7f", "0xff99"]);
  });

  it.each([
    [3, 0, "ok"],
    [3, 0x0001, "busy"],
    [3, 0x0300, "no records"],
    [1, 0x001c, "invalid attribute value"],
    [0x81, 0x8000, "ok"],
    [4, 0x0300, "0x0300"],
  ])("class %i, status %i: %s", (mgmtClass, status, text) => {
    expect(madStatusText(mgmtClass, status)).toBe(text);
  });

  it("are read in any case, and as numbers", () => {
    expect([mgmtClassNamed("sa"), mgmtClassNamed("0x81"), mgmtClassNamed("256"), mgmtClassNamed("sma")]).toEqual([
      3,
      0x81,
      undefined,
      undefined,
    ]);
    expect(madMethodNamed("GETTABLE")).toBe(0x12);
    expect([madAttributeNamed(3, "pathrecord"), madAttributeNamed(4, "notice"), madAttributeNamed(9, "35")]).toEqual([
      0x35, 2, 35,
    ]);
    expect(madNames(3).attributes).toContain("PathRecord");
  });
});

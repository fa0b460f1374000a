import { coded } from "../../test/coded.js";
import { hex } from "../../test/vectors.js";
import { Lid } from "../value/lid.js";
import { MadMethod, MgmtClass, SmAttribute } from "./constants.js";
import { decodeSmp, encodeSmp, SMP_DIRECTION, smpHops } from "./smp.js";

describe("Smp", () => {
  // IBA 14.2.1.2: on its way back from the second hop of port 1, then port 2.
  const bytes = hex(`
    01 81 01 81 8000 02 02 0000000000001234 0011 0000 00000001 00000000000000aa ffff ffff 00*28
    0102 00*62 000102 00*61 000304 00*61`);

  it("puts every field in its place", () => {
    const smp = {
      mgmtClass: MgmtClass.SUBN_DIRECTED_ROUTE,
      method: MadMethod.GET_RESP,
      status: SMP_DIRECTION,
      classSpecific: 0x0202,
      tid: 0x1234n,
      attributeId: SmAttribute.NODE_INFO,
      attributeModifier: 1,
      mkey: 0xaan,
      drSlid: Lid.PERMISSIVE,
      drDlid: Lid.PERMISSIVE,
      data: Buffer.from([1, 2]),
      initialPath: Buffer.from([0, 1, 2]),
      returnPath: Buffer.from([0, 3, 4]),
    };
    expect(encodeSmp(smp)).toEqual(bytes);
    const decoded = decodeSmp(bytes);
    expect(encodeSmp(decoded)).toEqual(bytes);
    expect(smpHops(decoded)).toEqual({ pointer: 2, count: 2 });
    expect(decoded.initialPath).toHaveLength(64);
  });

  it("is LID-routed unless said otherwise", () => {
    const smp = decodeSmp(encodeSmp({ method: MadMethod.GET, tid: 1n, attributeId: SmAttribute.PORT_INFO }));
    expect(smp).toMatchObject({ baseVersion: 1, mgmtClass: 1, classVersion: 1, drSlid: 0, status: 0 });
  });

  it("refuses other classes and fields that are too long", () => {
    const get = { method: MadMethod.GET, tid: 1n, attributeId: SmAttribute.NODE_INFO };
    expect(() => encodeSmp({ ...get, mgmtClass: 3 })).toThrow(coded("VERBENA_IB_VALUE", "Smp.mgmtClass"));
    expect(() => encodeSmp({ ...get, data: Buffer.alloc(65) })).toThrow(coded("VERBENA_IB_VALUE", "Smp.data"));
    expect(() => encodeSmp({ ...get, returnPath: Buffer.alloc(65) })).toThrow(coded("VERBENA_IB_VALUE"));
    const other = Buffer.from(bytes);
    other[1] = 3;
    expect(() => decodeSmp(other)).toThrow(coded("VERBENA_IB_MALFORMED", "management class"));
  });
});

import { decodeSaMad, encodeSaMad, MadMethod, Mtu, PKey, Rate } from "@verbena/ib";
import { gidOf } from "../../test/support/parts.js";
import { recorded } from "../../test/support/vectors.js";
import { groupSpec } from "./group-spec.js";
import { joinQuery } from "./join-record.js";

describe("the join of a group", () => {
  it.each([
    ["sa-join-request", Rate.RATE_10, Mtu.MTU_2048],
    ["sa-join-request-low-group", Rate.RATE_2_5, Mtu.MTU_1024],
    ["sa-join-request-high-group", Rate.RATE_10, Mtu.MTU_2048],
  ])("%s is the recorded one, with component mask 0x1B3F7", (file, rate, mtu) => {
    const bytes = recorded("fabric", `${file}.mad.hex`);
    const { tid } = decodeSaMad(bytes);
    const { attributeId, componentMask, record } = joinQuery(groupSpec("base", PKey.DEFAULT, { rate, mtu }), gidOf(1));
    expect(componentMask).toBe(0x1b3f7n);
    expect(
      encodeSaMad({ method: MadMethod.SET, tid, attributeId, componentMask, record: Buffer.from(record) }),
    ).toEqual(bytes);
  });

  it("of a limited member names its own P_Key, in the full members' group", () => {
    const limited = PKey.from(0x0001);
    const spec = groupSpec("base", limited, { rate: Rate.RATE_10, mtu: Mtu.MTU_2048 });
    const record = Buffer.from(joinQuery(spec, gidOf(1)).record);
    expect(record.readUInt16BE(40)).toBe(0x0001);
    expect(record.readUInt16BE(4)).toBe(0x8001);
  });
});

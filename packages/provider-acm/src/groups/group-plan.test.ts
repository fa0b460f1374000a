import { Gid, Mtu, PKey, Rate } from "@verbena/ib";
import * as v from "valibot";
import { BASE } from "../../test/support/parts.js";
import { optionsSchema } from "../options.js";
import { planGroups } from "./group-plan.js";

const plan = (options: v.InferInput<typeof optionsSchema>, activeRate: Rate, activeMtu = Mtu.MTU_4096) =>
  planGroups(v.parse(optionsSchema, options), { pkey: PKey.DEFAULT, port: { activeRate, activeMtu } });

const rate = (gbps: number): Rate => Rate.fromGbps(gbps) ?? Rate.zero;
const ratesOf = ({ joined }: ReturnType<typeof plan>) => joined.map((group) => Rate.toGbps(group.rate));
const three = { groups: [100, 40].map((rateGbps) => ({ rateGbps, mtuBytes: 2048 })) };

describe("which groups an endpoint joins", () => {
  it("by default the base group of ibacm alone: 10 Gb/s, 2048 bytes, SL 0", () => {
    expect(plan({}, rate(100)).joined).toEqual([
      { role: "base", mgid: BASE, pkey: PKey.DEFAULT, rate: Rate.RATE_10, mtu: Mtu.MTU_2048, sl: 0, trafficClass: 0 },
    ]);
  });

  it.each([
    [10, [10]],
    [40, [10, 40]],
    [100, [10, 40, 100]],
  ])("a port of %i Gb/s joins those it can carry, the base group first, the fastest last", (gbps, joined) => {
    expect(ratesOf(plan(three, rate(gbps)))).toEqual(joined);
  });

  it("with portGroup that of the port's own rate and MTU, unless it is the base group", () => {
    expect(plan({ portGroup: true }, rate(40), Mtu.MTU_2048).joined.map(({ mgid }) => Gid.format(mgid))).toEqual([
      "ff15:4001:ffff:3:400::",
      "ff15:4001:ffff:7:400::",
    ]);
    expect(plan({ portGroup: true }, Rate.RATE_10, Mtu.MTU_2048).joined).toHaveLength(1);
  });

  it.each([
    ["4x HDR", 2, 64, 17],
    ["4x NDR", 2, 128, 21],
    ["4x XDR", 2, 256, 23],
    ["2x HDR", 16, 64, 16],
    ["2x NDR", 16, 128, 17],
    ["2x EDR", 16, 32, 20],
  ])("a port of %s has a group of its own with the rate code of the architecture", (_name, width, speed, code) => {
    const activeRate = Rate.fromWidthSpeed(width, speed) ?? Rate.zero;
    expect(plan({ portGroup: true }, activeRate).joined.at(-1)?.rate).toBe(code);
  });

  it("the rule of preference: rate, then MTU, then the lower SL, then the lower traffic class", () => {
    const groups = [
      { rateGbps: 40, mtuBytes: 2048 },
      { rateGbps: 40, mtuBytes: 4096, sl: 1 },
      { rateGbps: 40, mtuBytes: 4096, trafficClass: 3 },
      { rateGbps: 40, mtuBytes: 4096 },
      { rateGbps: 20, mtuBytes: 4096 },
    ];
    const order = plan({ groups }, rate(100)).joined.slice(1);
    expect(
      order.map(({ rate: code, mtu, sl, trafficClass }) => [Rate.toGbps(code), Mtu.toBytes(mtu), sl, trafficClass]),
    ).toEqual([
      [20, 4096, 0, 0],
      [40, 2048, 0, 0],
      [40, 4096, 1, 0],
      [40, 4096, 0, 3],
      [40, 4096, 0, 0],
    ]);
  });

  it("groups that differ in SL alone are different groups", () => {
    const groups = [0, 1].map((sl) => ({ rateGbps: 40, mtuBytes: 4096, sl }));
    expect(new Set(plan({ groups }, rate(40)).joined.map(({ mgid }) => mgid)).size).toBe(3);
  });

  it("no more than the six a request can list: the base group and the five most preferred; the others are left out", () => {
    const groups = [5, 14, 20, 25, 40, 56, 100].map((rateGbps) => ({ rateGbps, mtuBytes: 2048 }));
    const { joined, left } = plan({ groups }, rate(100));
    expect(joined.map((group) => Rate.toGbps(group.rate))).toEqual([10, 20, 25, 40, 56, 100]);
    expect(left.map((group) => Rate.toGbps(group.rate))).toEqual([5, 14]);
  });

  it("a port that does not tell its rate joins all, and has none of its own", () => {
    expect(ratesOf(plan({ ...three, portGroup: true }, Rate.zero))).toEqual([10, 40, 100]);
  });
});

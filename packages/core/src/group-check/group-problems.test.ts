import { emptyPathRecord, Gid, Lid, Mtu, type PathRecord, PKey, Rate } from "@verbena/ib";
import type { GroupStatus } from "../sdk/group.js";
import { groupProblems } from "./group-problems.js";

const GROUP: GroupStatus = {
  mgid: Gid.parse("ff15:4001:ffff:3:400::"),
  role: "base",
  state: "joined",
  mlid: Lid.from(0xc001),
  rate: Rate.RATE_10,
  mtu: Mtu.MTU_2048,
  sl: 0,
  trafficClass: 0,
};
const path = (fields: Partial<PathRecord> = {}): PathRecord =>
  emptyPathRecord({ reversible: true, sl: 0, mtu: Mtu.MTU_4096, rate: Rate.from(16), pkey: PKey.DEFAULT, ...fields });
const problems = (forward: PathRecord | undefined, reverse: PathRecord | undefined) =>
  groupProblems(GROUP, PKey.DEFAULT, { forward, reverse });

describe("a group's path beside the SA's", () => {
  it("agrees where both ways carry at least the group's MTU and rate, on its SL", () => {
    expect(problems(path(), path())).toEqual([]);
    expect(problems(path({ mtu: Mtu.MTU_2048, rate: Rate.RATE_10 }), path())).toEqual([]);
  });

  it.each<readonly [string, PathRecord | undefined, PathRecord | undefined, readonly string[]]>([
    ["no way back", path(), undefined, ["the SA knows no path back in partition 0xffff"]],
    ["no way there", undefined, path(), ["the SA knows no path there in partition 0xffff"]],
    ["a path of one way", path({ reversible: false }), path(), ["the path there is not reversible"]],
    [
      "another SL",
      path({ sl: 4 }),
      path({ sl: 5 }),
      ["SL 0, but the path there has SL 4", "SL 0, but the path back has SL 5"],
    ],
    ["a smaller MTU", path(), path({ mtu: Mtu.MTU_1024 }), ["MTU 2048, but the path back has 1024"]],
    // The codes are not in order of speed: 2.5 Gb/s is 2, 5 Gb/s is 5, 10 Gb/s is 3.
    ["a slower path", path({ rate: Rate.from(5) }), path(), ["10 Gb/s, but the path there has 5 Gb/s"]],
    [
      "another partition",
      path({ pkey: PKey.from(0x8001) }),
      path(),
      ["partition 0xffff, but the path there is in 0x8001"],
    ],
  ])("differs by %s", (_name, forward, reverse, expected) => {
    expect(problems(forward, reverse)).toEqual(expected);
  });

  it("agrees with a path of the same partition that says limited membership", () => {
    expect(problems(path({ pkey: PKey.from(0x7fff) }), path())).toEqual([]);
  });
});

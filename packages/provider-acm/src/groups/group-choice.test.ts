import { decodePathRecord, type Gid, type Lid, Selector } from "@verbena/ib";
import { BASE, gidOf, granted, LOW, PORT } from "../../test/support/parts.js";
import { recorded } from "../../test/support/vectors.js";
import { chooseGroup } from "./group-choice.js";
import { groupPath } from "./group-path.js";

const [low, base] = [granted(LOW), granted(BASE)];
const own = new Map([
  [LOW, low],
  [BASE, base],
]);
const foreign = (n: number): Gid => (LOW + BigInt(n)) as Gid;

describe("the group two ends share", () => {
  it("is the last of the list that both have", () => {
    expect(chooseGroup([LOW, BASE], own)).toBe(base);
    expect(chooseGroup([LOW, BASE, foreign(9)], own)).toBe(base);
    expect(chooseGroup([BASE, LOW], own)).toBe(low);
  });

  it("is found among more GIDs than there are groups, and in none of them", () => {
    expect(chooseGroup([LOW, ...[1, 2, 3, 4, 5].map(foreign)], own)).toBe(low);
    expect(chooseGroup([1, 2, 3, 4, 5, 6].map(foreign), own)).toBeUndefined();
    expect(chooseGroup([], own)).toBeUndefined();
  });
});

describe("the path by a group", () => {
  it.each([
    ["route-acm-resolve-ipv4-route-prot-acm", 3],
    ["route-acm-resolve-name", 4],
  ])("is the one ibacm answers under route_prot acm: %s", (id, dlid) => {
    const expected = decodePathRecord(recorded("daemon", `${id}.rep.hex`), 24);
    const group = granted(BASE, { packetLifeTimeSelector: Selector.EXACTLY, packetLifeTime: 0 });
    expect(groupPath(group, PORT, { gid: gidOf(dlid === 3 ? 3 : 5), lid: dlid as Lid })).toEqual(expected);
  });
});

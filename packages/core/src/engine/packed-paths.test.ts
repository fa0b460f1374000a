import { emptyPathRecord, Gid, Lid, type PathRecord } from "@verbena/ib";
import fc from "fast-check";
import { PackedPaths } from "./packed-paths.js";

const path: fc.Arbitrary<PathRecord> = fc
  .record({
    dgid: fc.bigInt(1n, 300n).map((n) => Gid.of(Gid.linkLocalPrefix, n)),
    dlid: fc.integer({ min: 1, max: 300 }).map((n) => Lid.from(n)),
    // More forms than are packed; one that is no MTU cannot be.
    flowLabel: fc.nat(400),
    mtu: fc.constantFrom(4, 5, 4.5),
  })
  .map((fields) => emptyPathRecord(fields as Partial<PathRecord>));

describe("PackedPaths", () => {
  it("gives back what two maps would", () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 600, size: "max" }), (list) => {
        const paths = new PackedPaths();
        const [byLid, byGid] = [new Map<Lid, PathRecord>(), new Map<Gid, PathRecord>()];
        for (const each of list) {
          paths.add(each);
          byLid.set(each.dlid, each);
          byGid.set(each.dgid, each);
        }
        expect(paths.size).toBe(byLid.size);
        for (let n = 1; n <= 300; n += 1) {
          const gid = Gid.of(Gid.linkLocalPrefix, BigInt(n));
          expect(paths.toLid(n as Lid)).toEqual(byLid.get(n as Lid));
          expect(paths.toGid(gid)).toEqual(byGid.get(gid));
        }
        expect([...paths.all()]).toEqual([...byLid].sort(([a], [b]) => a - b).map(([, each]) => each));
      }),
      { numRuns: 20 },
    );
  });
});

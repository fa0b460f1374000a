/** The same net in ibsim under a real OpenSM and in our fabric: saquery must print the same. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ibsim, ibsimMissing } from "./ibsim.js";
import { PeerFabric } from "./peer-fabric.js";
import { missing, run } from "./sim-programs.js";

const NET = readFileSync(join(__dirname, "../../packages/fabric-sim/test/vectors/opensm-answers.net"), "utf8");
const reason = missing("saquery") ?? (ibsimMissing === "" ? undefined : `not installed: ${ibsimMissing}`);
const suite = reason === undefined ? describe : describe.skip;

jest.setTimeout(120_000);

suite(`our SA beside OpenSM${reason === undefined ? "" : `: ${reason}`}`, () => {
  let fabric: PeerFabric;
  let ibsim: Ibsim;

  beforeAll(async () => {
    fabric = await PeerFabric.start(NET);
    ibsim = await Ibsim.start(NET, "Hca1");
  });

  afterAll(async () => {
    await fabric.stop();
    await ibsim.stop();
  });

  const both = async (...args: readonly string[]) => {
    const ours = await fabric.run("Hca2", "saquery", ...args);
    const theirs = await run("saquery", args, ibsim.environment("Hca2"));
    return { ours: [ours.status, ours.stdout], theirs: [theirs.status, theirs.stdout] };
  };

  it("gives every host pair the same path", async () => {
    for (const slid of ["1", "4", "5", "6"]) {
      for (const dlid of ["1", "4", "5", "6"]) {
        const { ours, theirs } = await both("PR", "--slid", slid, "--dlid", dlid);
        expect([slid, dlid, ours]).toEqual([slid, dlid, theirs]);
        expect(ours[1]).toContain("PathRecord dump");
      }
    }
  });

  it.each([
    ["a node by LID", ["NR", "4"]],
    ["a switch by LID", ["NR", "2"]],
    ["the broadcast group", ["MCMR"]],
    ["all links", ["LR"]],
    ["a path that is not there", ["PR", "--slid", "1", "--dlid", "99"]],
  ])("prints the same for %s", async (_name, args) => {
    const { ours, theirs } = await both(...args);
    expect(ours).toEqual(theirs);
  });
});

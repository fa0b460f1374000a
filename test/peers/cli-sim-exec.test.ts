/** `verbena sim exec` runs unmodified programs of Debian on a node: saquery prints the whole fabric of 100 hosts. */
import { Cluster } from "../../packages/cli/test/support/cluster.js";
import { run } from "../../packages/cli/test/support/run.js";
import { find, missing, records } from "./sim-programs.js";

const TIMEOUT_MS = 120_000;
const HOSTS = 100;
/** Leaf switches of four hosts each, and the one on top. */
const NODES = HOSTS + 25 + 1;
const reason = missing("saquery");
const suite = reason === undefined ? describe : describe.skip;

suite(`saquery by verbena sim exec${reason === undefined ? "" : `: ${reason}`}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start({ hosts: HOSTS });
  }, TIMEOUT_MS);
  afterAll(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);

  it.each([
    ["", NODES],
    ["NR", NODES],
    ["PR", NODES * NODES],
    ["MCMR", 1],
  ])(
    "saquery %s",
    async (query, count) => {
      // A table of paths is thousands of packets: more than the default second on a machine that does other things.
      const words = [find("saquery") ?? "", "-t", "60000", ...(query === "" ? [] : [query])];
      const { status, out, err } = await run([
        ...["sim", "exec", "--dir", cluster.fabric, "--node", "node50", "--"],
        ...words,
      ]);
      expect({ status, err }).toEqual({ status: 0, err: "" });
      expect(records(out)).toHaveLength(count);
    },
    TIMEOUT_MS,
  );
});

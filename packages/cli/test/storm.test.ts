/** A cluster that starts: every daemon is asked for all others at once. Counted is what reaches the subnet administrator. */
import { storm } from "./support/storm.js";

const DAEMONS = 16;
const PAIRS = DAEMONS * (DAEMONS - 1);
const TIMEOUT_MS = 120_000;

describe(`a start-up storm of ${DAEMONS} daemons`, () => {
  it(
    "costs two tables a daemon with prefetch",
    async () => {
      expect(await storm({ daemons: DAEMONS, prefetch: "port" })).toMatchObject({
        pairs: PAIRS,
        right: PAIRS,
        queries: { "NodeRecord GetTable": DAEMONS, "PathRecord GetTable": DAEMONS },
        mostOfOne: 2,
      });
    },
    TIMEOUT_MS,
  );

  it.each([1, 4, 16])(
    "costs one path query a pair and one table without it, at most the window of %i at once",
    async (saDepth) => {
      const figures = await storm({ daemons: DAEMONS, prefetch: "none", saDepth });
      expect(figures).toMatchObject({
        pairs: PAIRS,
        right: PAIRS,
        queries: { "NodeRecord GetTable": DAEMONS, "PathRecord Get": PAIRS },
        mostOfOne: DAEMONS,
      });
      // 15 path queries follow the table; a window that is not wider is filled.
      expect(figures.peakOpen).toBe(Math.min(saDepth, DAEMONS - 1));
    },
    TIMEOUT_MS,
  );
});

import { VerbenaError } from "@verbena/ib";
import { failureOf } from "../../../test/support/failure-of.js";
import { parseScenario, runScenario } from "./scenario.js";

const TEXT = `# a bad afternoon
0s     link down H8
250ms  node describe H2 "new name"   # quoted

2s     link up H8
`;

describe("parseScenario", () => {
  it("reads times, requests, quotes and comments", () => {
    expect(parseScenario(TEXT, "bad.scn")).toEqual([
      { place: "bad.scn:2", atMs: 0, text: "0s link down H8", request: { op: "link", action: "down", end: "H8" } },
      {
        place: "bad.scn:3",
        atMs: 250,
        text: "250ms node describe H2 new name",
        request: { op: "node", action: "describe", node: "H2", text: "new name" },
      },
      { place: "bad.scn:5", atMs: 2000, text: "2s link up H8", request: { op: "link", action: "up", end: "H8" } },
    ]);
    expect(parseScenario("", "empty")).toEqual([]);
  });

  it.each([
    ["soon link down H8", 'f:1: "soon" is not a duration'],
    ["0s link sideways H8", "f:1: link takes"],
    ["1s sweep\n\n500ms sweep", "f:3: 500ms is before the line above"],
    ["1s", "f:1: no request"],
    ['0s sweep\n1s node describe H8 "node8 HCA-2', 'f:2: the quotes of "node8 have no end'],
    ['0s node describe H8 "', 'f:1: the quotes of " have no end'],
  ])("refuses %j by file and line", (text, message) => {
    expect(failureOf(() => parseScenario(text, "f"))).toMatchObject({
      code: "VERBENA_CLI_SCENARIO",
      message: expect.stringContaining(message) as string,
    });
  });
});

describe("runScenario", () => {
  it("sends each step at its time, and does not wait for the one before", async () => {
    const log: string[] = [];
    let endFirst = (): void => undefined;
    await runScenario(parseScenario(TEXT, "f"), {
      send: async ({ op }) => {
        log.push(`send ${op}`);
        if (log.length > 5) endFirst();
        if (log.length === 2) {
          await new Promise<void>((settle) => {
            endFirst = settle;
          });
        }
      },
      wait: (delayMs) => {
        log.push(`wait ${String(delayMs)}`);
        return Promise.resolve();
      },
      onStep: ({ place }) => {
        log.push(place);
      },
    });
    expect(log).toEqual(["f:2", "send link", "wait 250", "f:3", "send node", "wait 1750", "f:5", "send link"]);
  });

  it("stops at a step that is refused, and says which", async () => {
    const sent: string[] = [];
    const refused = new VerbenaError("VERBENA_SIM_NODE_UNKNOWN", "no node H9", { hint: "see status" });
    const run = runScenario(parseScenario("0s sweep\n1s link up H9\n2s sweep", "f"), {
      send: ({ op }) => {
        sent.push(op);
        return op === "link" ? Promise.reject(refused) : Promise.resolve();
      },
      wait: () => Promise.resolve(),
      onStep: () => undefined,
    });
    await expect(run).rejects.toMatchObject({
      code: "VERBENA_CLI_SCENARIO",
      message: "f:2: no node H9",
      hint: "see status",
    });
    expect(sent).toEqual(["sm", "link"]);
  });
});

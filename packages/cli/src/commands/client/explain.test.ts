import type { ExplainJson } from "@verbena/core/client";
import { describeExplanation } from "./explain.js";

const endpoint = {
  key: "mlx5_0/1/0xffff",
  device: "mlx5_0",
  nodeGuid: "0x0002c90300000001",
  port: 1,
  portCount: 1,
  pkey: "0xffff",
};
const about = { requestId: "ab-1", destination: "node12", tookMs: 6040 };

describe("verbena explain", () => {
  it("prints each step, who was asked and what the SA said", async () => {
    const explained: ExplainJson = {
      ...about,
      steps: [
        { step: "endpoint", tookMs: 0.1, endpoint, state: "ready", chosenSource: "192.0.2.1" },
        {
          step: "address",
          tookMs: 0,
          about: "node12",
          cache: "hit",
          providers: [],
          sa: [],
          provider: "acm",
          ageMs: 250,
          expiresInMs: 86_000_000,
        },
        { step: "restart" },
        {
          step: "route",
          tookMs: 6039,
          about: "fe80::1",
          cache: "miss",
          providers: [
            { provider: "acm", outcome: "unknown", tookMs: 1 },
            { provider: "sa", outcome: "error", tookMs: 6038, detail: "VERBENA_PROVIDER_SA_STATUS" },
          ],
          sa: [
            { method: "get", attributeId: 0x35, outcome: "timeout", tookMs: 2000 },
            { method: "get", attributeId: 0x35, outcome: "answered", status: 0x0300, tookMs: 4 },
          ],
          code: "VERBENA_RESOLVE_SA_STATUS",
        },
      ],
      error: { code: "VERBENA_RESOLVE_SA_STATUS", message: "refused", hint: "look there" },
    };
    expect(await describeExplanation(explained)).toBe(`node12: not resolved in 6.0 s  (request ab-1)
  endpoint  mlx5_0/1/0xffff (ready), source 192.0.2.1 chosen  0.1 ms
  address   node12: cached (from acm, 250.0 ms old, expires in 86000.0 s)  0.0 ms
  restart   the endpoint changed meanwhile; from the beginning
  route     fe80::1: not cached, providers asked; VERBENA_RESOLVE_SA_STATUS  6.0 s
    provider acm: unknown  1.0 ms
    provider sa: error (VERBENA_PROVIDER_SA_STATUS)  6.0 s
    SA get PathRecord: timeout  2.0 s
    SA get PathRecord: answered, status 0x0300 (no records)  4.0 ms
refused [VERBENA_RESOLVE_SA_STATUS]
hint: look there
`);
  });

  it("draws the route, and tells where it cannot be followed", async () => {
    const end = (port: number, lid: number, kind: "ca" | "switch", description: string) => {
      const guid = `0x000000000000000${String(lid)}`;
      return { lid, port, kind, nodeGuid: guid, portGuid: guid, description };
    };
    const [from, entry, out] = [end(1, 1, "ca", "h1 HCA-1"), end(3, 2, "switch", "leaf"), end(4, 2, "switch", "leaf")];
    const hops = [
      { from, to: entry },
      { from: out, to: end(1, 5, "ca", "h5\u001b[2J") },
    ];
    const route = { slid: 1, dlid: 5, hops };
    expect(await describeExplanation({ ...about, steps: [], route })).toBe(`node12: resolved in 6.0 s  (request ab-1)
┌──────────┐     ┌──────┐     ┌─────────────┐
│ h1 HCA-1 ├1───3┤ leaf ├4───1┤ h5\\u001b[2J │
└──────────┘     └──────┘     └─────────────┘
route  LID 1 to LID 5
  from ca 0x0000000000000001 port 1 lid 1 "h1 HCA-1"
  [1] -> switch 0x0000000000000002 port 3 lid 2 "leaf"
  [4] -> ca 0x0000000000000005 port 1 lid 5 "h5\\u001b[2J"
`);
    const problem = '"leaf" (LID 2) has no route to LID 5';
    const text = await describeExplanation({
      ...about,
      steps: [],
      route: { ...route, hops: hops.slice(0, 1), problem },
    });
    expect(text).toContain('\n  not followed further: "leaf" (LID 2) has no route to LID 5\n');
    expect(await describeExplanation({ ...about, steps: [], route: { slid: 1, dlid: 1, hops: [] } })).toContain(
      "route  LID 1 is the port itself\n",
    );
  });

  it("says where there is no endpoint, and that own addresses need nobody", async () => {
    expect(
      await describeExplanation({
        ...about,
        steps: [
          { step: "endpoint", tookMs: 0, code: "VERBENA_RESOLVE_NO_SOURCE" },
          { step: "own", about: "host1" },
        ],
      }),
    ).toBe(`node12: resolved in 6.0 s  (request ab-1)
  endpoint  none: VERBENA_RESOLVE_NO_SOURCE  0.0 ms
  own       host1 is an address of this host: nobody is asked
`);
  });
});

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
    SA get attribute 0x0035: timeout  2.0 s
    SA get attribute 0x0035: answered, status 0x0300  4.0 ms
refused [VERBENA_RESOLVE_SA_STATUS]
hint: look there
`);
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

import { describeReport } from "./watch-lines.js";

const GROUP = "ff15:4001:ffff:3:400::";
const PEER = { gid: "fe80::10:3", lid: 5, qpn: 18 };
const line = (event: { readonly type: string } & Readonly<Record<string, string | number | boolean>>): string =>
  describeReport({
    type: "event",
    endpoint: "sim0/1/0xffff",
    provider: "acm",
    time: "2026-01-02T03:04:05.678Z",
    event,
  });

describe("lines of multicast watch", () => {
  it.each([
    [
      {
        type: "request",
        way: "in",
        source: "192.0.2.3",
        wanted: "192.0.2.1",
        isOurs: true,
        group: GROUP,
        ageMs: 1500,
        ...PEER,
      },
      `in   192.0.2.3 asks for 192.0.2.1, which is here  LID 5 QP 18 fe80::10:3  group ${GROUP}  known for 1.5 s`,
    ],
    [
      { type: "request", way: "in", source: "h3", wanted: "h9", isOurs: false, ...PEER },
      "in   h3 asks for h9  LID 5 QP 18 fe80::10:3  no common group",
    ],
    [{ type: "request", way: "out", source: "h1", wanted: "h3", groups: GROUP }, `out  h1 asks for h3  group ${GROUP}`],
    [
      { type: "request", way: "out", source: "h1", wanted: "h3", groups: GROUP, ...PEER },
      `out  h1 asks for h3  LID 5 QP 18 fe80::10:3  group ${GROUP}`,
    ],
    [
      { type: "announcement", way: "in", source: "h3", wanted: "h3", isOurs: false, group: GROUP, ...PEER },
      `in   h3 announces itself  LID 5 QP 18 fe80::10:3  group ${GROUP}`,
    ],
    [
      { type: "response", way: "in", wanted: "h3", status: 0, group: GROUP, ...PEER },
      `in   h3 is at  LID 5 QP 18 fe80::10:3  group ${GROUP}`,
    ],
    [
      { type: "response", way: "in", status: 3, group: GROUP, ...PEER },
      `in   answer nobody waits for, of (status 3)  LID 5 QP 18 fe80::10:3  group ${GROUP}`,
    ],
    [
      { type: "response", way: "out", status: 0, group: GROUP, ...PEER },
      `out  answer to  LID 5 QP 18 fe80::10:3  group ${GROUP}`,
    ],
    [{ type: "dropped", way: "in", reason: "length" }, "in   dropped: length"],
    [
      { type: "duplicate", address: "h3", first: "fe80::1", second: "fe80::2" },
      "     two hosts answer for h3: fe80::1, fe80::2",
    ],
    [{ type: "teleported", way: "out", colour: "blue" }, "out  teleported colour=blue"],
  ])("%j", (event, text) => {
    expect(line(event)).toBe(`03:04:05.678  sim0/1/0xffff  ${text}\n`);
  });

  it("tell what was lost, and that providers were opened anew", () => {
    expect(describeReport({ type: "lagged", dropped: 7 })).toContain("7 lines lost");
    expect(describeReport({ type: "restarted", reason: "reload" })).toBe("providers opened anew: reload\n");
  });
});

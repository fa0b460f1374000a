import { decodeAcmMad } from "@verbena/ib";
import { BASE, ip, LOW, named, to } from "../../test/support/parts.js";
import { recorded } from "../../test/support/vectors.js";
import { requestMad, responseMad } from "./messages.js";

const tidOf = (bytes: Buffer): bigint => decodeAcmMad(bytes).tid;

describe("a message, written from what it says", () => {
  it.each([
    ["acm-request-ip4", to("192.0.2.2"), ip("192.0.2.1")],
    ["acm-request-name", to("node2"), named("node1")],
  ] as const)("%s is the recorded one", (file, destination, source) => {
    const bytes = recorded("fabric", `${file}.hex`);
    expect(requestMad(tidOf(bytes), destination, source, [BASE])).toEqual(bytes);
  });

  it("acm-request-ip6 is the recorded one", () => {
    const bytes = recorded("fabric", "acm-request-ip6.hex");
    const [source, destination] = [88, 24].map((at) => bytes.subarray(at, at + 16).toString("hex"));
    const text = (hex = ""): string => hex.match(/.{4}/g)?.join(":") ?? "";
    expect(requestMad(tidOf(bytes), to(text(destination)), ip(text(source)), [BASE])).toEqual(bytes);
  });

  it("a request that lists two groups has the less preferred one first, as recorded", () => {
    const bytes = recorded("fabric", "acm-request-two-groups.hex");
    expect(requestMad(tidOf(bytes), to("192.0.2.2"), ip("192.0.2.1"), [LOW, BASE])).toEqual(bytes);
  });

  it.each(["ip4", "ip6", "name", "two-groups"])("the response acm-response-%s is the recorded one", (name) => {
    const bytes = recorded("fabric", `acm-response-${name}.hex`);
    expect(responseMad(tidOf(bytes), BASE)).toEqual(bytes);
  });
});

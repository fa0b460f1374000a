import { decodeAcmMad } from "@verbena/ib";
import { FAMILIES, type Family } from "../../test/support/families.js";
import { BASE, ip, LOW, named, to } from "../../test/support/parts.js";
import { recorded } from "../../test/support/vectors.js";
import { requestMad, responseMad } from "./messages.js";

/** Where a message has the number of its groups, and the groups. */
const COUNT_AT = 20;
const GROUPS_AT = 152;
const fileOf = (family: Family["family"]): string => `acm-request-${family === "IPv4" ? "ip4" : "ip6"}`;
const tidOf = (bytes: Buffer): bigint => decodeAcmMad(bytes).tid;

describe("a message, written from what it says", () => {
  it.each([
    ...FAMILIES.map(({ family, host }) => [fileOf(family), to(host(2)), ip(host(1))] as const),
    ["acm-request-name", to("node2"), named("node1")] as const,
  ])("%s is the recorded one", (file, destination, source) => {
    const bytes = recorded("fabric", `${file}.hex`);
    expect(requestMad(tidOf(bytes), destination, source, [BASE])).toEqual(bytes);
  });

  it.each(FAMILIES)(
    "a request over $family that lists two groups has the less preferred one first, as recorded",
    ({ family, host }) => {
      // Recorded over IPv4: of the other family the addresses and their kinds are in front of the groups.
      const groups = recorded("fabric", "acm-request-two-groups.hex").subarray(GROUPS_AT);
      const bytes = Buffer.concat([recorded("fabric", `${fileOf(family)}.hex`).subarray(0, GROUPS_AT), groups]);
      bytes[COUNT_AT] = 2;
      expect(requestMad(tidOf(bytes), to(host(2)), ip(host(1)), [LOW, BASE])).toEqual(bytes);
    },
  );

  it.each(["ip4", "ip6", "name", "two-groups"])("the response acm-response-%s is the recorded one", (name) => {
    const bytes = recorded("fabric", `acm-response-${name}.hex`);
    expect(responseMad(tidOf(bytes), BASE)).toEqual(bytes);
  });
});

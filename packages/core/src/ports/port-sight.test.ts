import { isInfiniBand } from "./port-sight.js";

describe("isInfiniBand", () => {
  it.each(["InfiniBand", "infiniband", "IB", "unspecified", ""])("takes the link layer %j for InfiniBand", (layer) => {
    expect(isInfiniBand(layer)).toBe(true);
  });

  it.each(["Ethernet", "ethernet", "unknown(7)"])("leaves ports of the link layer %j alone", (layer) => {
    expect(isInfiniBand(layer)).toBe(false);
  });
});

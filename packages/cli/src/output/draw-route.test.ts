import { drawRoute } from "./draw-route.js";

const HOPS = [
  { from: "H1[1]", to: "L1[3]" },
  { from: "L1[36]", to: "H2[1]" },
];

describe("drawRoute", () => {
  it("draws boxes and cables with their ports", () => {
    expect(drawRoute({ hops: HOPS })).toBe(
      ["┌────┐     ┌────┐      ┌────┐", "│ H1 ├1───3┤ L1 ├36───1┤ H2 │", "└────┘     └────┘      └────┘", ""].join(
        "\n",
      ),
    );
  });

  it("takes other names for the nodes", () => {
    expect(drawRoute({ hops: HOPS.slice(0, 1) }, (id) => `host ${id}`)).toContain("│ host H1 ├1───3┤ host L1 │");
  });

  it("draws nothing for a packet that stays where it is", () => {
    expect(drawRoute({ hops: [] })).toBe("");
  });
});

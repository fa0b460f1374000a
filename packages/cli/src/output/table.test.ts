import { renderTable } from "./table.js";

describe("renderTable", () => {
  it("aligns columns, two blanks between them, none at the end", () => {
    expect(
      renderTable(
        ["port", "peer"],
        [
          ["H1[1]", "L1[1]"],
          ["L1[12]", ""],
        ],
      ),
    ).toBe("port    peer\nH1[1]   L1[1]\nL1[12]\n");
  });

  it("prints the header alone when there are no rows", () => {
    expect(renderTable(["a", "b"], [])).toBe("a  b\n");
  });
});

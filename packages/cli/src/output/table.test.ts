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

  it("keeps a stranger's text in its cell", () => {
    expect(renderTable(["a", "b"], [["x\n1", "\u001b[2J"]])).toBe("a         b\nx\\u000a1  \\u001b[2J\n");
  });

  it("prints the header alone when there are no rows", () => {
    expect(renderTable(["a", "b"], [])).toBe("a  b\n");
  });
});

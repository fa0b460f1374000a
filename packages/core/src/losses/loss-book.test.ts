import { coreError } from "../errors.js";
import { silentLogger } from "../host/default-services.js";
import { LossBook } from "./loss-book.js";

describe("LossBook", () => {
  it("tells once what is lost, with reason and remedy, and once that it is back", () => {
    const warn = jest.fn();
    const book = new LossBook({ ...silentLogger, warn });
    const error = coreError("VERBENA_DAEMON_LOCKED", { details: { file: "/run/x" } });
    book.lose("a", "questions to the SA", error);
    book.lose("a", "questions to the SA", error);
    book.lose("b", "IP addresses", "no such protocol");
    expect(book.list()).toEqual([
      { function: "questions to the SA", reason: error.message, remedy: error.hint },
      { function: "IP addresses", reason: "no such protocol" },
    ]);
    book.regain("a");
    book.regain("a");
    book.forget("b");
    expect(book.list()).toEqual([]);
    expect(warn.mock.calls).toEqual([
      ["function lost: questions to the SA", { reason: error.message, remedy: error.hint }],
      ["function lost: IP addresses", { reason: "no such protocol" }],
      ["function is back: questions to the SA"],
    ]);
  });
});

import { adaptiveWindow, fixedWindow } from "./sa-window.js";

function repeat(count: number, what: (n: number) => void): void {
  for (let n = 0; n < count; n += 1) what(n);
}

describe("adaptiveWindow", () => {
  it("halves once for what was sent under one limit", () => {
    const window = adaptiveWindow(16);
    repeat(16, (n) => {
      window.onCongestion("timeout", 15 - n);
    });
    expect(window.limit).toBe(8);
    window.onCongestion("busy", 0);
    expect(window.limit).toBe(4);
  });

  it("halves again when the others have been given up", () => {
    const window = adaptiveWindow(16);
    window.onCongestion("timeout", 15);
    window.onCongestion("timeout", 0);
    window.onCongestion("timeout", 0);
    expect(window.limit).toBe(4);
  });

  it("never falls below one, whatever happens", () => {
    const window = adaptiveWindow(16);
    repeat(100, () => {
      window.onCongestion("busy", 0);
    });
    expect(window.limit).toBe(1);
  });

  it("grows by one for each window of answers, up to its bound", () => {
    const window = adaptiveWindow(4);
    repeat(2, () => {
      window.onCongestion("busy", 0);
    });
    expect(window.limit).toBe(1);
    const limits: number[] = [];
    repeat(12, () => {
      window.onAnswer();
      limits.push(window.limit);
    });
    expect(limits).toEqual([2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4]);
  });

  it("begins to count anew after congestion", () => {
    const window = adaptiveWindow(8);
    window.onCongestion("timeout", 1);
    repeat(3, () => {
      window.onAnswer();
    });
    window.onCongestion("timeout", 3);
    expect(window.limit).toBe(2);
    window.onAnswer();
    window.onCongestion("timeout", 2);
    window.onAnswer();
    expect(window.limit).toBe(2);
    window.onAnswer();
    expect(window.limit).toBe(3);
  });

  it("makes whole numbers of at least one of its bound", () => {
    expect([adaptiveWindow(0).limit, adaptiveWindow(2.7).limit, fixedWindow(0).limit]).toEqual([1, 2, 1]);
  });
});

import fc from "fast-check";
import { Fifo } from "./fifo.js";

describe("Fifo", () => {
  it("does what an array does, whatever is done to it", () => {
    const command = fc.oneof(
      fc.integer({ min: 0, max: 9 }).map((value) => ({ type: "push" as const, value })),
      fc.constant({ type: "shift" as const }),
      fc
        .array(fc.integer({ min: 0, max: 9 }), { maxLength: 3 })
        .map((values) => ({ type: "unshift" as const, values })),
      fc.integer({ min: 0, max: 9 }).map((value) => ({ type: "remove" as const, value })),
      fc.constant({ type: "drain" as const }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const fifo = new Fifo<number>();
        let model: number[] = [];
        for (const one of commands) {
          switch (one.type) {
            case "push":
              fifo.push(one.value);
              model.push(one.value);
              break;
            case "shift":
              expect(fifo.shift()).toBe(model.shift());
              break;
            case "unshift":
              fifo.unshiftAll(one.values);
              model = [...one.values, ...model];
              break;
            case "remove":
              expect(fifo.removeWhere((value) => value === one.value)).toEqual(model.filter((v) => v === one.value));
              model = model.filter((value) => value !== one.value);
              break;
            case "drain":
              expect(fifo.drain()).toEqual(model);
              model = [];
              break;
          }
          expect([[...fifo], fifo.length, fifo.peek()]).toEqual([model, model.length, model[0]]);
          expect([...fifo.backwards()]).toEqual([...model].reverse());
        }
      }),
    );
  });

  it("lets go of what was taken, also when it is never empty", () => {
    const fifo = new Fifo<number>();
    fifo.push(-1);
    for (let value = 0; value < 10_000; value += 1) {
      fifo.push(value);
      expect(fifo.shift()).toBe(value - 1);
    }
    expect(fifo.length).toBe(1);
  });
});

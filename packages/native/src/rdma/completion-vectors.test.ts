import { CompletionVectors } from "./completion-vectors.js";

const refused = expect.objectContaining({ code: "VERBENA_NATIVE_OPTION" }) as Error;

test("auto takes the vector with the fewest queues, the lowest of them", () => {
  const vectors = new CompletionVectors();
  const taken = Array.from({ length: 5 }, () => vectors.take("auto", 4));
  expect(taken.map(({ vector }) => vector)).toEqual([0, 1, 2, 3, 0]);
  expect(vectors.take(1, 4).vector).toBe(1);
  expect(vectors.take("auto", 4).vector).toBe(2);
});

test("a queue that is gone leaves its vector to the next", () => {
  const vectors = new CompletionVectors();
  const taken = Array.from({ length: 4 }, () => vectors.take("auto", 4));
  taken[2]?.leave();
  expect(vectors.take("auto", 4).vector).toBe(2);
});

test("with one vector auto is that one, however many queues there are", () => {
  const vectors = new CompletionVectors();
  expect(Array.from({ length: 8 }, () => vectors.take("auto", 1).vector)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  expect(() => vectors.take(1, 1)).toThrow(refused);
});

test.each([4, -1, 0.5, Number.NaN])("%p is no vector of four: refused, and nothing is counted", (wanted) => {
  const vectors = new CompletionVectors();
  expect(() => vectors.take(wanted, 4)).toThrow(refused);
  expect(vectors.take("auto", 4).vector).toBe(0);
});

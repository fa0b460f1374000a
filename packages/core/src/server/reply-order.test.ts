import fc from "fast-check";
import { ReplyOrder, type ReplySlot } from "./reply-order.js";

function request(tid: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(tid, 12);
  return bytes;
}

describe("ReplyOrder", () => {
  it("keeps the order of equal tids and lets others overtake", () => {
    const order = new ReplyOrder();
    const first = order.enter(request(1));
    const second = order.enter(request(1));
    const other = order.enter(request(2));
    expect(order.isBehind(request(1))).toBe(true);
    expect(order.isBehind(request(3))).toBe(false);
    expect(order.settle(second, Buffer.from("b"))).toEqual([]);
    expect(order.heldBytes).toBe(1);
    expect(order.settle(other, Buffer.from("c"))).toEqual([Buffer.from("c")]);
    expect(order.settle(first, Buffer.from("a"))).toEqual([Buffer.from("a"), Buffer.from("b")]);
    expect(order.open).toBe(0);
    expect(order.heldBytes).toBe(0);
    expect(order.isBehind(request(1))).toBe(false);
  });

  it("gives every reply once and each tid in order, whatever the order of the answers", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3 }), { maxLength: 30 }), fc.infiniteStream(fc.nat()), (tids, picks) => {
        const order = new ReplyOrder();
        const waiting = tids.map((tid, n) => ({ slot: order.enter(request(tid)), n, tid }));
        const out: { n: number; tid: number }[] = [];
        const byText = new Map(waiting.map(({ n, tid }) => [String(n), { n, tid }]));
        const left: { slot: ReplySlot; n: number }[] = [...waiting];
        while (left.length > 0) {
          const [picked] = left.splice((picks.next().value ?? 0) % left.length, 1);
          for (const bytes of order.settle(picked!.slot, Buffer.from(String(picked!.n)))) {
            out.push(byText.get(bytes.toString())!);
          }
        }
        expect(order.open).toBe(0);
        expect([...out].sort((a, b) => a.n - b.n).map(({ n }) => n)).toEqual(tids.map((_, n) => n));
        for (const tid of new Set(tids)) {
          const mine = out.filter((reply) => reply.tid === tid).map(({ n }) => n);
          expect(mine).toEqual([...mine].sort((a, b) => a - b));
        }
      }),
    );
  });
});

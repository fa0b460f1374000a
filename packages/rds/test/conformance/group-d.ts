import { bound, message, outcome, type Rig, receiveAll, result, seen } from "./rig.js";

/** 7.4: receive. D04 (out-of-band), D14 (size of the control buffer) are of the system call alone; D16 is the kernel's. */
export function groupD(name: string, rig: () => Rig): void {
  describe(`RDS conformance D (receive), ${name}`, () => {
    const here = "127.0.0.1";
    const to = `${here}:4000`;
    const pair = async () => ({ receiver: await bound(rig(), here, 4000), sender: await bound(rig(), here, 4100) });
    /** A receiver with "hello world" waiting. */
    const withHello = async () => {
      const { receiver, sender } = await pair();
      sender.trySend("hello world", { to });
      await rig().run(receiver.readable());
      return receiver;
    };

    it("D01: nothing there gives nothing", async () => {
      const { receiver } = await pair();
      expect(receiver.tryReceive()).toBeUndefined();
    });

    it("D02: nor does an unbound socket", () => {
      expect(rig().socket().tryReceive()).toBeUndefined();
    });

    it("D03: a receive gives ETIMEDOUT when its time is over", async () => {
      const socket = await bound(rig(), here, 4000, { receiveTimeoutMs: 200 });
      const start = rig().now();
      expect(await rig().run(result(socket.receive()))).toBe("ETIMEDOUT");
      expect(rig().now() - start).toBeGreaterThanOrEqual(200);
    });

    it("D05: a peek of 4 bytes shows 4, tells the length, and leaves the message", async () => {
      const receiver = await withHello();
      const item = message(await receiver.peek({ maxLength: 4 }));
      expect([item.data.toString(), item.length]).toEqual(["hell", 11]);
      expect(seen(receiver.tryReceive())?.text).toBe("hello world");
    });

    it("D06: the size of the next message can be asked for", async () => {
      const receiver = await withHello();
      expect(receiver.nextSize()).toBe(11);
      expect(seen(receiver.tryReceive())?.text).toBe("hello world");
      expect(receiver.nextSize()).toBeUndefined();
    });

    it("D07, D08: a receive of 5 bytes gives 5 and the length of all; the rest is gone", async () => {
      const receiver = await withHello();
      const item = message(receiver.tryReceive({ maxLength: 5 }));
      expect([item.data.toString(), item.length]).toEqual(["hello", 11]);
      expect(receiver.tryReceive()).toBeUndefined();
    });

    it("D09: an empty message tells its sender", async () => {
      const { receiver, sender } = await pair();
      sender.trySend("", { to });
      expect(seen(await rig().run(receiver.receive()))).toEqual({ text: "", from: `${here}:4100` });
    });

    it("D10: a thousand messages of one socket arrive in order", async () => {
      const { receiver, sender } = await pair();
      for (let number = 0; number < 1000; number += 1) await sender.send(String(number), { to });
      const texts = [];
      for (let number = 0; number < 1000; number += 1) texts.push(seen(await rig().run(receiver.receive()))?.text);
      expect(texts).toEqual(Array.from({ length: 1000 }, (_, number) => String(number)));
    });

    it("D11: of two senders each keeps its own order", async () => {
      const { receiver, sender } = await pair();
      const other = await bound(rig(), here, 4200);
      for (let number = 0; number < 50; number += 1) {
        sender.trySend(`a${number}`, { to });
        other.trySend(`b${number}`, { to });
      }
      const all = [];
      for (let count = 0; count < 100; count += 1) all.push(seen(await rig().run(receiver.receive())));
      for (const [letter, port] of [
        ["a", 4100],
        ["b", 4200],
      ] as const) {
        const own = all.filter((one) => one?.from === `${here}:${port}`).map((one) => one?.text);
        expect(own).toEqual(Array.from({ length: 50 }, (_, number) => `${letter}${number}`));
      }
    });

    it("D12: a message of 1 MiB arrives as it was", async () => {
      const receiver = await bound(rig(), here, 4000);
      const sender = await bound(rig(), here, 4100, { sendBufferSize: 2 << 20 });
      const data = Buffer.from(Uint8Array.from({ length: 1 << 20 }, (_, at) => (at * 31 + (at >> 8)) & 0xff));
      sender.trySend(data, { to });
      const item = message(await rig().run(receiver.receive()));
      expect(item.data.equals(data)).toBe(true);
    });

    it("D13: with timestamps on, a message carries one", async () => {
      const { receiver, sender } = await pair();
      receiver.timestamps = true;
      sender.trySend("x", { to });
      const { control } = message(await rig().run(receiver.receive()));
      const stamps = control.filter(({ type }) => type === "timestamp");
      expect(stamps).toHaveLength(1);
      // Between 2020 and 2100.
      const { ns } = stamps[0] as { ns: bigint };
      expect([ns > 1_577_836_800_000_000_000n, ns < 4_102_444_800_000_000_000n]).toEqual([true, true]);
    });

    it("D15: of two readers at once each message goes to one", async () => {
      const { receiver, sender } = await pair();
      const texts: string[] = [];
      const reader = async (): Promise<void> => {
        for (;;) {
          const item = await result(receiver.receive());
          if (item === "CLOSED") return;
          texts.push(message(item as never).data.toString());
        }
      };
      const readers = [reader(), reader()];
      for (let number = 0; number < 1000; number += 1) await sender.send(String(number), { to });
      while (texts.length < 1000) await rig().settle();
      await receiver.close();
      await Promise.all(readers);
      expect(texts.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, number) => number));
    });

    it("D: for await gives messages until the socket is closed", async () => {
      const { receiver, sender } = await pair();
      sender.trySend("1", { to });
      sender.trySend("2", { to });
      const texts: string[] = [];
      for await (const item of receiver) {
        texts.push(message(item).data.toString());
        if (texts.length === 2) await receiver.close();
      }
      expect(texts).toEqual(["1", "2"]);
      expect(outcome(() => receiver.tryReceive())).toBe("CLOSED");
      expect(outcome(() => receiveAll(receiver))).toBe("CLOSED");
    });
  });
}

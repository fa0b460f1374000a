import type { RdsSocket } from "../../src/index.js";
import { bound, LIMIT, outcome, type Rig, receiveAll, result, seen, sendUntilRefused } from "./rig.js";

const U = (rig: Rig): boolean => rig.backEnd === "user-space";

/** 7.6: congestion. F11 and F12 are of the system call alone. */
export function groupF(name: string, rig: () => Rig): void {
  describe(`RDS conformance F (congestion), ${name}`, () => {
    const at = (port: number, address = rig().local[0]): string => `${address}:${port}`;
    const thousand = Buffer.alloc(1000);
    const receiverAt = (port: number, address = rig().local[0]) =>
      bound(rig(), address, port, { receiveBufferSize: LIMIT });
    const senderAt = (port: number, address = rig().local[0]) => bound(rig(), address, port);
    /** F01: eleven messages of 1000 bytes wait, and the twelfth has been refused. */
    const congested = async (): Promise<{ receiver: RdsSocket; sender: RdsSocket }> => {
      const receiver = await receiverAt(2000);
      const sender = await senderAt(4100);
      expect(sendUntilRefused(sender, at(2000), 1000)).toEqual([11, "ENOBUFS"]);
      return { receiver, sender };
    };

    it("F01: eleven messages of a tenth of the limit go, the twelfth gives ENOBUFS", async () => {
      await congested();
    });

    it("F02: so does an empty message; another port is not concerned", async () => {
      const { sender } = await congested();
      expect(outcome(() => sender.trySend("", { to: at(2000) }))).toBe("ENOBUFS");
      expect(sender.trySend("x", { to: at(2001) })).toBe(1);
    });

    it("F03: the port is free again when less than half the limit waits", async () => {
      const { receiver, sender } = await congested();
      const answers = [];
      for (let count = 1; count <= 7; count += 1) {
        receiver.tryReceive();
        answers.push(outcome(() => sender.trySend("", { to: at(2000) })));
      }
      expect(answers).toEqual([...Array.from({ length: 6 }, () => "ENOBUFS"), 0]);
    });

    it("F04: closing the receiver frees its port", async () => {
      const { receiver, sender } = await congested();
      await receiver.close();
      expect(sender.trySend("dropped", { to: at(2000) })).toBe(7);
    });

    it("F05: a send that waits for a congested port has no time-out", async () => {
      const { receiver, sender } = await congested();
      sender.sendTimeoutMs = 200;
      const sending = result(sender.send("late", { to: at(2000) }));
      await rig().pass(1000);
      receiveAll(receiver);
      expect(await rig().run(sending)).toBe(4);
    });

    it("F06: a larger receive limit counts from the next message on", async () => {
      const { receiver, sender } = await congested();
      receiver.receiveBufferSize = 100_000;
      expect(outcome(() => sender.trySend(thousand, { to: at(2000) }))).toBe("ENOBUFS");
      receiver.tryReceive();
      expect(sender.trySend(thousand, { to: at(2000) })).toBe(1000);
    });

    it("F07: over the wire the same holds, with what was on its way", async () => {
      const receiver = rig().peer.socket({ receiveBufferSize: LIMIT });
      await receiver.bind(rig().peer.address, 2000);
      await rig().peer.appear();
      const sender = await senderAt(4100);
      const to = `${rig().peer.address}:2000`;
      let sent = 0;
      for (let round = 0; round < 100 && outcome(() => sender.trySend(thousand, { to })) === 1000; round += 1) {
        sent += 1;
        await rig().settle();
      }
      expect(sent).toBeGreaterThanOrEqual(11);
      expect(sent).toBeLessThan(100);
      while (sent > 4) {
        receiver.tryReceive();
        sent -= 1;
      }
      await rig().run(sender.uncongested());
      expect(sender.trySend(thousand, { to })).toBe(1000);
    });

    it("F08, F09: a monitoring socket hears once that a port which refused it is free", async () => {
      const receiver = await receiverAt(2000);
      const [refused, other] = [await senderAt(4100), await senderAt(4200)];
      for (const socket of [refused, other]) socket.monitorCongestion(true);
      sendUntilRefused(refused, at(2000), 1000);
      receiveAll(receiver);
      expect(await rig().run(refused.receive())).toEqual({ type: "congestion", ports: 1n << 16n });
      expect([refused.tryReceive(), other.tryReceive()]).toEqual([undefined, undefined]);
      expect(refused.monitoredPorts).toBe(0n);
    });

    it("F10: one that was not refused hears nothing", async () => {
      const receiver = await receiverAt(2000);
      const sender = await senderAt(4100);
      sender.monitorCongestion(true);
      for (let count = 0; count < 11; count += 1) sender.trySend(thousand, { to: at(2000) });
      receiveAll(receiver);
      await rig().settle();
      expect(sender.tryReceive()).toBeUndefined();
    });

    it("F13: on 127/8 nothing gets congested", async () => {
      const receiver = await receiverAt(2000, "127.0.0.1");
      const sender = await bound(rig(), "127.0.0.1", 4100);
      for (let count = 0; count < 200; count += 1) {
        expect(sender.trySend(Buffer.alloc(10_000), { to: "127.0.0.1:2000" })).toBe(10_000);
      }
      expect(receiveAll(receiver)).toHaveLength(200);
    });

    it("F14: between two local addresses it is the receiver's map that counts (K: its own kernel's way)", async () => {
      const [a, b] = rig().local;
      const receiver = await receiverAt(2000, b);
      const sender = await senderAt(4100, a);
      const [count, answer] = sendUntilRefused(sender, at(2000, b), 1000, 20);
      if (!U(rig())) return;
      expect([count, answer]).toEqual([11, "ENOBUFS"]);
      expect(sender.trySend("x", { to: at(2000, a) })).toBe(1);
      receiveAll(receiver);
      expect(sender.trySend("x", { to: at(2000, b) })).toBe(1);
    });

    it("F15: a peer that comes back with an empty map takes messages again", async () => {
      const first = rig().peer.socket({ receiveBufferSize: LIMIT });
      await first.bind(rig().peer.address, 2000);
      await rig().peer.appear();
      const sender = await senderAt(4100);
      const to = `${rig().peer.address}:2000`;
      for (let round = 0; round < 100 && outcome(() => sender.trySend(thousand, { to })) === 1000; round += 1) {
        await rig().settle();
      }
      expect(outcome(() => sender.trySend(thousand, { to }))).toBe("ENOBUFS");
      await rig().peer.vanish();
      await first.close();
      if (rig().keepsForeignMaps) expect(outcome(() => sender.trySend(thousand, { to }))).toBe("ENOBUFS");
      const second = rig().peer.socket();
      await second.bind(rig().peer.address, 2000);
      await rig().peer.appear();
      second.trySend("back", { to: at(4100) });
      expect(seen(await rig().run(sender.receive()))?.text).toBe("back");
      expect(sender.trySend("welcome", { to })).toBe(7);
      expect(seen(await rig().run(second.receive()))?.text).toBe("welcome");
    });

    it("F16: a refused message never appears", async () => {
      const { receiver, sender } = await congested();
      expect(outcome(() => sender.trySend("refused", { to: at(2000) }))).toBe("ENOBUFS");
      const other = await senderAt(2001);
      sender.trySend("other", { to: at(2001) });
      expect(seen(await rig().run(other.receive()))?.text).toBe("other");
      expect(receiveAll(receiver).every(({ length }) => length === 1000)).toBe(true);
    });
  });
}

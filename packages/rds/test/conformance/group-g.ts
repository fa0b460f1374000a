import type { RdsSocket } from "../../src/index.js";
import { bound, LIMIT, outcome, type Rig, receiveAll, result, seen, sendUntilRefused } from "./rig.js";

/** 7.7: cancel and close. G02 is of the system call alone. */
export function groupG(name: string, rig: () => Rig): void {
  describe(`RDS conformance G (cancel and close), ${name}`, () => {
    const here = "127.0.0.1";
    const peer = (port: number): string => `${rig().peer.address}:${port}`;
    const queued = async (socket: RdsSocket): Promise<readonly number[]> =>
      (await socket.info("sendQueue")).filter(({ local }) => local.port !== 1).map(({ remote }) => remote.port);
    /** G03: three messages to port 7 and two to port 8 of a peer that is away. */
    const waiting = async (): Promise<RdsSocket> => {
      const socket = await bound(rig(), rig().local[0], 4000, { sendBufferSize: LIMIT });
      for (const [port, text] of [
        [7, "7a"],
        [8, "8a"],
        [7, "7b"],
        [8, "8b"],
        [7, "7c"],
      ] as const) {
        socket.trySend(text, { to: peer(port) });
      }
      return socket;
    };

    it("G01: on an unbound socket gives ENOTCONN", () => {
      const socket = rig().socket();
      expect(outcome(() => socket.cancel(`${here}:1`))).toBe("ENOTCONN");
    });

    it("G03: cancelling one destination leaves the others", async () => {
      const socket = await waiting();
      expect(await queued(socket)).toEqual([7, 8, 7, 8, 7]);
      socket.cancel(peer(7));
      expect(await queued(socket)).toEqual([8, 8]);
    });

    it("G04: cancelling all empties the queue", async () => {
      const socket = await waiting();
      expect(sendUntilRefused(socket, peer(9), 4000)).toEqual([3, "EAGAIN"]);
      socket.cancel();
      expect(await queued(socket)).toEqual([]);
      expect(socket.readiness.writable).toBe(true);
    });

    it("G05: a send that waits for room goes on when a cancel makes some", async () => {
      const socket = await bound(rig(), rig().local[0], 4000, { sendBufferSize: LIMIT });
      sendUntilRefused(socket, peer(7), 4000);
      const sending = socket.send("after", { to: peer(8) });
      await rig().settle();
      socket.cancel(peer(7));
      expect(await rig().run(sending)).toBe(5);
    });

    it("G06: cancelled messages never arrive, the others do", async () => {
      const socket = await waiting();
      const [seven, eight] = [rig().peer.socket(), rig().peer.socket()];
      await seven.bind(rig().peer.address, 7);
      await eight.bind(rig().peer.address, 8);
      socket.cancel(peer(7));
      await rig().peer.appear();
      const texts = [seen(await rig().run(eight.receive()))?.text, seen(await rig().run(eight.receive()))?.text];
      expect(texts).toEqual(["8a", "8b"]);
      expect(seven.tryReceive()).toBeUndefined();
    });

    it("drain waits until what was sent has been cancelled, or the peer has it", async () => {
      const socket = await waiting();
      const seven = rig().peer.socket();
      await seven.bind(rig().peer.address, 7);
      let isDrained = false;
      const drained = socket.drain().then(() => {
        isDrained = true;
      });
      socket.cancel(peer(8));
      await rig().pass(100);
      expect(isDrained).toBe(false);
      await rig().peer.appear();
      await rig().run(drained);
      const left = [...(await socket.info("sendQueue")), ...(await socket.info("retransmitQueue"))];
      expect(left.filter(({ local }) => local.port === 4000)).toEqual([]);
      expect(seen(await rig().run(seven.receive()))?.text).toBe("7a");
    });

    it("G07: of messages whose sender closes at once a prefix arrives, in order", async () => {
      const receiver = rig().peer.socket();
      await receiver.bind(rig().peer.address, 7);
      await rig().peer.appear();
      const socket = await bound(rig(), rig().local[0], 4000);
      // Messages that are sent while a connection is being set up may come by another of its lanes than those behind them.
      socket.trySend("first", { to: peer(7) });
      expect(seen(await rig().run(receiver.receive()))?.text).toBe("first");
      await rig().settle();
      for (let number = 0; number < 100; number += 1) socket.trySend(String(number), { to: peer(7) });
      await socket.close();
      await rig().settle();
      const texts = receiveAll(receiver).map(({ data }) => data.toString());
      expect(texts).toEqual(Array.from({ length: texts.length }, (_, number) => String(number)));
    });

    it("G08: what a closed socket had not read is gone for the next one of its port", async () => {
      const sender = await bound(rig(), here, 4100);
      const first = await bound(rig(), here, 4000);
      for (let count = 0; count < 5; count += 1) sender.trySend("old", { to: `${here}:4000` });
      await rig().settle();
      await first.close();
      const second = await bound(rig(), here, 4000);
      expect(second.tryReceive()).toBeUndefined();
    });

    it("G09: closing does not wait for an unreachable peer", async () => {
      const socket = await waiting();
      const start = rig().now();
      await socket.close();
      expect(rig().now() - start).toBeLessThan(1000);
      expect(await result(socket.send("x", { to: peer(7) }))).toBe("CLOSED");
    });

    it("G10: closing a congested receiver clears its bit of the map", async () => {
      const receiver = await bound(rig(), rig().local[0], 2000, { receiveBufferSize: LIMIT });
      const sender = await bound(rig(), rig().local[0], 4100);
      sendUntilRefused(sender, `${rig().local[0]}:2000`, 1000);
      await receiver.close();
      expect(sender.trySend("x", { to: `${rig().local[0]}:2000` })).toBe(1);
    });
  });
}

import { bound, message, type Rig, receiveAll, seen } from "./rig.js";

const BASE_COUNTERS =
  "conn_reset recv_drop_bad_checksum recv_drop_old_seq recv_drop_no_sock recv_drop_dead_sock recv_deliver_raced recv_delivered recv_queued recv_immediate_retry recv_delayed_retry recv_ack_required recv_rdma_bytes recv_ping send_queue_empty send_queue_full send_lock_contention send_lock_queue_raced send_immediate_retry send_delayed_retry send_drop_acked send_ack_required send_queued send_rdma send_rdma_bytes send_pong page_remainder_hit page_remainder_miss copy_to_user copy_from_user cong_update_queued cong_update_received cong_send_error cong_send_blocked recv_bytes_added_to_sock recv_bytes_freed_fromsock send_stuck_rm".split(
    " ",
  );

/** 7.8: ping and info. The sizes of H04, H05, H08 are of the system call alone. */
export function groupH(name: string, rig: () => Rig): void {
  describe(`RDS conformance H (ping and info), ${name}`, () => {
    const here = "127.0.0.1";
    const peer = (port: number): string => `${rig().peer.address}:${port}`;

    it("H01: an empty message to port 0 comes back from port 0, on loopback", async () => {
      const socket = await bound(rig(), here, 4000);
      socket.trySend("", { to: `${here}:0` });
      expect(seen(await rig().run(socket.receive()))).toEqual({ text: "", from: `${here}:0` });
    });

    it("H01: and from a peer", async () => {
      await rig().peer.socket().bind(rig().peer.address, 7);
      await rig().peer.appear();
      const socket = await bound(rig(), rig().local[0], 4000);
      socket.trySend("", { to: peer(0) });
      expect(seen(await rig().run(socket.receive()))).toEqual({ text: "", from: peer(0) });
    });

    it("H02: a ping of 4 bytes gets the same empty pong", async () => {
      const socket = await bound(rig(), here, 4000);
      socket.trySend("ping", { to: `${here}:0` });
      expect(message(await rig().run(socket.receive())).length).toBe(0);
    });

    it("H03: each pong comes to the socket that pinged", async () => {
      await rig().peer.socket().bind(rig().peer.address, 7);
      await rig().peer.appear();
      const sockets = [];
      for (let port = 5000; port < 5008; port += 1) sockets.push(await bound(rig(), rig().local[0], port));
      for (const socket of sockets) socket.trySend("", { to: peer(0) });
      for (const socket of sockets) {
        expect(seen(await rig().run(socket.receive()))).toEqual({ text: "", from: peer(0) });
        expect(receiveAll(socket)).toEqual([]);
      }
    });

    it("H04: the counters begin with those of Linux, in order", async () => {
      const socket = await bound(rig(), rig().local[0], 4000);
      const names = (await socket.info("counters")).map(({ name: counter }) => counter);
      expect(names.slice(0, BASE_COUNTERS.length)).toEqual(BASE_COUNTERS);
    });

    it("H05: a message that waits is in the list of receive queues", async () => {
      const [receiver, sender] = [await bound(rig(), rig().local[0], 4000), await bound(rig(), rig().local[0], 4100)];
      sender.trySend("x", { to: `${rig().local[0]}:4000` });
      await rig().run(receiver.readable());
      const list = (await receiver.info("receiveQueue")).filter(({ local }) => local.port === 4000);
      expect(list).toMatchObject([{ length: 1, local: { port: 4000 }, remote: { port: 4100 } }]);
    });

    it("H06: messages for an unreachable peer are in the list of send queues, with consecutive numbers", async () => {
      const socket = await bound(rig(), rig().local[0], 4000);
      for (const text of ["a", "bb", "ccc"]) socket.trySend(text, { to: peer(7) });
      const list = (await socket.info("sendQueue")).filter(({ local }) => local.port === 4000);
      expect(list.map(({ length }) => length)).toEqual([1, 2, 3]);
      const [first = 0n] = list.map(({ sequence }) => sequence);
      expect(list.map(({ sequence }) => sequence - first)).toEqual([0n, 1n, 2n]);
    });

    it("H07: after traffic the list of connections shows the peer", async () => {
      const receiver = rig().peer.socket();
      await receiver.bind(rig().peer.address, 7);
      await rig().peer.appear();
      const socket = await bound(rig(), rig().local[0], 4000);
      socket.trySend("x", { to: peer(7) });
      await rig().run(receiver.receive());
      receiver.trySend("y", { to: `${rig().local[0]}:4000` });
      await rig().run(socket.receive());
      const list = await socket.info("connections");
      const found = list.find(({ remote, transport }) => remote === rig().peer.address && transport !== "loopback");
      expect(found).toMatchObject({ local: rig().local[0], transport: socket.transport, isConnected: true });
      expect([(found?.nextTx ?? 0n) > 1n, (found?.nextRx ?? 0n) > 1n]).toEqual([true, true]);
    });

    it("H: sockets are listed with their limits, address and destination", async () => {
      const socket = await bound(rig(), rig().local[0], 4000, { receiveBufferSize: 50_000 });
      socket.connect(peer(7));
      const list = (await socket.info("sockets")).filter(({ bound: at }) => at.port === 4000);
      expect(list).toMatchObject([
        { receiveBufferSize: 50_000, sendBufferSize: 106_496, connected: { address: rig().peer.address, port: 7 } },
      ]);
    });
  });
}

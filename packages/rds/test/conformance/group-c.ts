import { bound, LIMIT, outcome, type Rig, receiveAll, result, seen } from "./rig.js";

/** 7.3: send, errors and limits. C05, C06, C18 are of the system call alone. */
export function groupC(name: string, rig: () => Rig): void {
  describe(`RDS conformance C (send), ${name}`, () => {
    const here = "127.0.0.1";
    const to = `${here}:4000`;
    const bytes = (length: number): Buffer => Buffer.alloc(length);
    const peer = (port = 7): string => `${rig().peer.address}:${port}`;
    /** A socket with a small limit whose peer is away. */
    const towardsNobody = () => bound(rig(), rig().local[0], 4000, { sendBufferSize: LIMIT });

    it("C01: without address and not connected gives ENOTCONN", async () => {
      const socket = await bound(rig(), here, 4000);
      expect(outcome(() => socket.trySend("x"))).toBe("ENOTCONN");
    });

    it("C02: unbound gives ENOTCONN", () => {
      expect(outcome(() => rig().socket().trySend("x", { to }))).toBe("ENOTCONN");
    });

    it("C03: destinations that are no host's give EINVAL", async () => {
      const socket = await bound(rig(), here, 4000);
      for (const address of ["0.0.0.0", "255.255.255.255", "224.0.0.1", "1.2.3", "::", "fe80::1"]) {
        const answer = outcome(() => socket.trySend("x", { to: { address, port: 4000 } }));
        expect([address, answer]).toEqual([address, "EINVAL"]);
      }
    });

    it("C04: the other address family gives EOPNOTSUPP", async () => {
      const socket = await bound(rig(), here, 4000);
      expect(outcome(() => socket.trySend("x", { to: "[::1]:4000" }))).toBe("EOPNOTSUPP");
    });

    it("C07: a message of the send limit goes, one above it gives EMSGSIZE", async () => {
      const socket = await bound(rig(), here, 4000, { sendBufferSize: 200_000 });
      expect(socket.sendBufferSize).toBe(200_000);
      expect(socket.trySend(bytes(200_000), { to })).toBe(200_000);
      expect(outcome(() => socket.trySend(bytes(200_001), { to }))).toBe("EMSGSIZE");
    });

    it("C08: the default limit is 106496", async () => {
      const socket = await bound(rig(), here, 4000);
      expect(socket.sendBufferSize).toBe(106_496);
      expect(socket.trySend(bytes(106_496), { to })).toBe(106_496);
      expect(outcome(() => socket.trySend(bytes(106_497), { to }))).toBe("EMSGSIZE");
    });

    it("C09: with room enough, 1 MiB goes and one byte more gives EMSGSIZE", async () => {
      const socket = await bound(rig(), here, 4000, { sendBufferSize: 2 << 20 });
      expect(socket.trySend(bytes(1 << 20), { to })).toBe(1 << 20);
      expect(outcome(() => socket.trySend(bytes((1 << 20) + 1), { to }))).toBe("EMSGSIZE");
    });

    it("C10: the least send limit is 2304", async () => {
      const socket = await bound(rig(), here, 4000, { sendBufferSize: 1 });
      expect(socket.sendBufferSize).toBe(2304);
    });

    it("C11: messages are queued until the bytes before them reach the limit, then EAGAIN", async () => {
      const socket = await towardsNobody();
      const answers = [1, 2, 3, 4].map(() => outcome(() => socket.trySend(bytes(4000), { to: peer() })));
      expect(answers).toEqual([4000, 4000, 4000, "EAGAIN"]);
    });

    it("C12: the last message may overshoot", async () => {
      const socket = await towardsNobody();
      const answers = [9999, 10_000, 1].map((length) => outcome(() => socket.trySend(bytes(length), { to: peer() })));
      expect(answers).toEqual([9999, 10_000, "EAGAIN"]);
    });

    it("C13: an empty message needs room too, and a full queue is not writable", async () => {
      const socket = await towardsNobody();
      for (let count = 0; count < 3; count += 1) socket.trySend(bytes(4000), { to: peer() });
      expect(outcome(() => socket.trySend("", { to: peer() }))).toBe("EAGAIN");
      expect(socket.readiness.writable).toBe(false);
    });

    it("C14: a send that waits for room gives ETIMEDOUT when its time is over", async () => {
      const socket = await towardsNobody();
      socket.sendTimeoutMs = 200;
      for (let count = 0; count < 3; count += 1) socket.trySend(bytes(4000), { to: peer() });
      const start = rig().now();
      expect(await rig().run(result(socket.send("x", { to: peer() })))).toBe("ETIMEDOUT");
      expect(rig().now() - start).toBeGreaterThanOrEqual(200);
    });

    it("C15: what was queued arrives in order when the peer appears, and makes room", async () => {
      const socket = await towardsNobody();
      const receiver = rig().peer.socket();
      await receiver.bind(rig().peer.address, 7);
      for (const text of ["a", "b", "c"]) socket.trySend(text.repeat(4000), { to: peer() });
      expect(socket.readiness.writable).toBe(false);
      await rig().peer.appear();
      const texts = [];
      for (let count = 0; count < 3; count += 1) texts.push(seen(await rig().run(receiver.receive()))?.text[0]);
      expect(texts).toEqual(["a", "b", "c"]);
      await rig().run(socket.writable());
      expect(socket.readiness.writable).toBe(true);
    });

    it("C16: a message to a port that nobody has bound goes, and is counted as dropped", async () => {
      const socket = await bound(rig(), here, 4000);
      const dropped = async (): Promise<bigint> =>
        (await socket.info("counters")).find(({ name: counter }) => counter === "recv_drop_no_sock")?.value ?? -1n;
      const before = await dropped();
      expect(socket.trySend("gone", { to: `${here}:4999` })).toBe(4);
      await rig().settle();
      expect(await dropped()).toBe(before + 1n);
      expect(socket.tryReceive()).toBeUndefined();
    });

    it("C17: unknown control messages of RDS give EINVAL, those of other levels are ignored", async () => {
      const socket = await bound(rig(), here, 4000);
      const control = (level: number) => [{ type: "unknown" as const, level, code: 99, data: bytes(8) }];
      expect(outcome(() => socket.trySend("x", { to, control: control(276) }))).toBe("EINVAL");
      expect(socket.trySend("x", { to, control: control(1) })).toBe(1);
    });

    it("C19: sends to a peer never seen, from sixteen ports, do not wait", async () => {
      for (let port = 5000; port < 5016; port += 1) {
        const socket = await bound(rig(), rig().local[0], port);
        expect(socket.trySend("x", { to: peer() })).toBe(1);
      }
    });

    it("C20: nor do those that may", async () => {
      for (let port = 5000; port < 5016; port += 1) {
        const socket = await bound(rig(), rig().local[0], port, { sendTimeoutMs: 200 });
        const start = rig().now();
        expect(await socket.send("x", { to: peer() })).toBe(1);
        expect(rig().now() - start).toBeLessThan(200);
      }
    });

    it("C: messages in parts arrive in one piece, and the sender's bytes are free when the send is done", async () => {
      const receiver = await bound(rig(), here, 4000);
      const sender = await bound(rig(), here, 4001);
      const parts = [Buffer.from("one "), Buffer.from("two "), Buffer.from("three")];
      expect(sender.trySendv(parts, { to })).toBe(13);
      for (const part of parts) part.fill(0);
      expect(seen(await rig().run(receiver.receive()))?.text).toBe("one two three");
      expect(receiveAll(receiver)).toEqual([]);
    });
  });
}

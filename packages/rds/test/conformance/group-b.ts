import { bound, outcome, type Rig, result, seen } from "./rig.js";

/** 7.2: connect. */
export function groupB(name: string, rig: () => Rig): void {
  describe(`RDS conformance B (connect), ${name}`, () => {
    const here = "127.0.0.1";
    const to = (port: number): string => `${here}:${port}`;

    it("B01: destinations that are no host's are refused, each by its errno", () => {
      const socket = rig().socket();
      const connect = (address: string): unknown => outcome(() => socket.connect({ address, port: 4000 }));
      expect(connect("0.0.0.0")).toBe("EDESTADDRREQ");
      expect(connect("255.255.255.255")).toBe("EINVAL");
      expect(connect("224.0.0.1")).toBe("EINVAL");
      expect(connect("::")).toBe("EPROTOTYPE");
      expect(connect("ff02::1")).toBe("EPROTOTYPE");
      expect(connect("fe80::1")).toBe("EINVAL");
      expect(connect("127.0.0")).toBe("EINVAL");
      expect(socket.remoteAddress).toBeUndefined();
    });

    it("B02: connect works before bind, send does not", () => {
      const socket = rig().socket();
      socket.connect(to(4000));
      expect(outcome(() => socket.trySend("x"))).toBe("ENOTCONN");
    });

    it("B03: a connected socket sends without address, and its own is the source", async () => {
      const receiver = await bound(rig(), here, 4000);
      const sender = await bound(rig(), here, 4100);
      sender.connect(to(4000));
      expect(sender.trySend("hello")).toBe(5);
      expect(seen(await rig().run(receiver.receive()))).toEqual({ text: "hello", from: to(4100) });
    });

    it("B04: connecting again changes the destination", async () => {
      const [first, second] = [await bound(rig(), here, 4000), await bound(rig(), here, 4001)];
      const sender = await bound(rig(), here, 4100);
      sender.connect(to(4000));
      sender.connect(to(4001));
      sender.trySend("new");
      expect(seen(await rig().run(second.receive()))).toEqual({ text: "new", from: to(4100) });
      expect(first.tryReceive()).toBeUndefined();
    });

    it("B05: connect does not filter what is received", async () => {
      const connected = await bound(rig(), here, 4100);
      connected.connect(to(4000));
      const stranger = await bound(rig(), here, 4200);
      stranger.trySend("hi", { to: to(4100) });
      expect(seen(await rig().run(connected.receive()))).toEqual({ text: "hi", from: to(4200) });
    });

    it("B06: a destination named with the message wins, and the default stays", async () => {
      const [stored, named] = [await bound(rig(), here, 4000), await bound(rig(), here, 4001)];
      const sender = await bound(rig(), here, 4100);
      sender.connect(to(4000));
      sender.trySend("named", { to: to(4001) });
      sender.trySend("stored");
      expect(seen(await rig().run(named.receive()))?.text).toBe("named");
      expect(seen(await rig().run(stored.receive()))?.text).toBe("stored");
      expect(sender.remoteAddress).toMatchObject({ address: here, port: 4000 });
    });

    it("B07: connecting to an unreachable address works and sends nothing", async () => {
      const socket = await bound(rig(), rig().local[0], 4000);
      socket.connect({ address: rig().peer.address, port: 7 });
      await rig().settle();
      const queued = await result(socket.info("sendQueue"));
      expect(queued).toEqual([]);
    });
  });
}

import { bound, LIMIT, type Rig, receiveAll, sendUntilRefused } from "./rig.js";

/** 7.5: poll and readiness. L06, L08 are of the kernel's polling. */
export function groupL(name: string, rig: () => Rig): void {
  describe(`RDS conformance L (readiness), ${name}`, () => {
    const here = "127.0.0.1";
    const peer = (port: number): string => `${rig().peer.address}:${port}`;

    it("L01: a fresh socket is writable only", async () => {
      const socket = await bound(rig(), here, 4000);
      expect(socket.readiness).toEqual({ readable: false, writable: true, uncongested: true });
    });

    it("L02: with a message waiting it is readable and writable", async () => {
      const [receiver, sender] = [await bound(rig(), here, 4000), await bound(rig(), here, 4100)];
      sender.trySend("x", { to: `${here}:4000` });
      expect(await rig().run(receiver.poll(["readable"]))).toMatchObject({ readable: true, writable: true });
    });

    it("L03, L04: with a full queue it is not writable, until a cancel", async () => {
      const socket = await bound(rig(), rig().local[0], 4000, { sendBufferSize: LIMIT });
      sendUntilRefused(socket, peer(7), 4000);
      expect(socket.readiness.writable).toBe(false);
      const woken = socket.poll(["writable"]);
      socket.cancel();
      expect(await rig().run(woken)).toMatchObject({ writable: true });
    });

    it.each([
      ["L05: a socket that was refused is woken when the receiver drains", false],
      ["L07: also when it monitors congestion", true],
    ])("%s", async (_row, monitors) => {
      const receiver = await bound(rig(), rig().local[0], 2000, { receiveBufferSize: LIMIT });
      const sender = await bound(rig(), rig().local[0], 4100);
      sender.monitorCongestion(monitors);
      sendUntilRefused(sender, `${rig().local[0]}:2000`, 1000);
      // Not whether it is readable: the kernel tells who monitors of any map that comes, also of a peer that has just been connected.
      expect(sender.readiness).toMatchObject({ writable: true, uncongested: false });
      const woken = sender.poll(["uncongested"]);
      await rig().pass(300);
      receiveAll(receiver);
      await rig().run(woken);
      expect(sender.readiness.uncongested).toBe(true);
    });

    it("L09: a wait to be readable that comes in vain surfaces nowhere", async () => {
      const [receiver, sender] = [await bound(rig(), here, 4000), await bound(rig(), here, 4100)];
      const [first, second] = [receiver.receive(), receiver.receive({ timeoutMs: 100 })];
      sender.trySend("one", { to: `${here}:4000` });
      expect(await rig().run(first)).toMatchObject({ length: 3 });
      await expect(rig().run(second)).rejects.toMatchObject({ code: "VERBENA_RDS_ETIMEDOUT" });
    });
  });
}

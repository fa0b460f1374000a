import type { RdsSocket } from "../../src/index.js";
import { bound, errnoOf, outcome, type Rig, result } from "./rig.js";

/** 7.1: creation and addresses. Rows A01, A02 and the sizes of A04 and A18 are of the system call alone. */
export function groupA(name: string, rig: () => Rig): void {
  describe(`RDS conformance A (creation and addresses), ${name}`, () => {
    const [one, two] = ["127.0.0.1", "127.0.0.2"];
    const bind = (socket: RdsSocket, address: string, port = 0): Promise<unknown> => result(socket.bind(address, port));

    it("A03: a new socket has neither a local nor a peer name", () => {
      const socket = rig().socket();
      expect([socket.localAddress, socket.remoteAddress]).toEqual([undefined, undefined]);
    });

    it("A04: addresses that are no host's give EINVAL and leave the socket unbound", async () => {
      const socket = rig().socket();
      for (const address of [
        "0.0.0.0",
        "255.255.255.255",
        "224.0.0.1",
        "::",
        "ff02::1",
        "::ffff:0.0.0.0",
        "1.2.3",
        "fe80::1",
      ]) {
        expect([address, await bind(socket, address, 4000)]).toEqual([address, "EINVAL"]);
      }
      expect(socket.localAddress).toBeUndefined();
      expect(await bind(socket, one, 4000)).toMatchObject({ address: one, port: 4000 });
    });

    it("A05: an address that is not local gives EADDRNOTAVAIL", async () => {
      expect(await bind(rig().socket(), "9.9.9.9", 4000)).toBe("EADDRNOTAVAIL");
    });

    it("A06: port 1 gives EINVAL", async () => {
      expect(await bind(rig().socket(), one, 1)).toBe("EINVAL");
    });

    it("A07: binding again, to the same or another port, gives EINVAL", async () => {
      const socket = await bound(rig(), one, 4000);
      expect([await bind(socket, one, 4000), await bind(socket, one, 4001)]).toEqual(["EINVAL", "EINVAL"]);
    });

    it("A08: a port in use gives EADDRINUSE", async () => {
      await bound(rig(), one, 4000);
      expect(await bind(rig().socket(), one, 4000)).toBe("EADDRINUSE");
    });

    it("A09: the IPv4-mapped form is the same address", async () => {
      await bound(rig(), one, 4000);
      expect(await bind(rig().socket(), `::ffff:${one}`, 4000)).toBe("EADDRINUSE");
    });

    it("A10: the same port on another local address is free", async () => {
      await bound(rig(), one, 4000);
      expect(await bind(rig().socket(), two, 4000)).toMatchObject({ address: two, port: 4000 });
    });

    it("A11: a closed socket's port is free at once", async () => {
      const socket = await bound(rig(), one, 4000);
      await socket.close();
      expect(await bind(rig().socket(), one, 4000)).toMatchObject({ port: 4000 });
    });

    it("A12: fifty binds to port 0 give fifty ports, none below 2", async () => {
      const ports: number[] = [];
      for (let count = 0; count < 50; count += 1) ports.push((await rig().socket().bind(one)).port);
      expect(new Set(ports).size).toBe(50);
      expect(Math.min(...ports)).toBeGreaterThanOrEqual(2);
    });

    it("A13: a failed bind leaves the socket usable", async () => {
      await bound(rig(), one, 4000);
      const socket = rig().socket();
      expect(await bind(socket, one, 4000)).toBe("EADDRINUSE");
      expect(await bind(socket, one, 4001)).toMatchObject({ port: 4001 });
    });

    it("A14: low ports need no privilege", async () => {
      expect(await bind(rig().socket(), one, 700)).toMatchObject({ port: 700 });
    });

    it("A15: the transport is known once the socket is bound", async () => {
      const [onLoopback, onLocal] = [rig().socket(), rig().socket()];
      expect(onLoopback.transport).toBeUndefined();
      await onLoopback.bind(one, 4000);
      await onLocal.bind(rig().local[0], 4000);
      expect([onLoopback.transport, onLocal.transport]).toEqual(rig().transports);
    });

    it("A16: a transport that was asked for and does not serve the address gives ENOPROTOOPT", async () => {
      const socket = rig().socket({ transport: rig().networkTransport });
      expect(await bind(socket, "9.9.9.9", 4000)).toBe("ENOPROTOOPT");
    });

    it("A17: a transport can be asked for once, before the bind", async () => {
      const socket = rig().socket({ transport: rig().networkTransport });
      await socket.bind(rig().local[0], 4000);
      expect(outcome(() => socket.useTransport(rig().networkTransport))).toBe("EOPNOTSUPP");
    });

    it("A18: a transport that is not there gives ENOPROTOOPT", () => {
      expect(outcome(() => rig().socket().useTransport("iwarp"))).toBe("ENOPROTOOPT");
    });

    it("every refusal carries the number of its errno", async () => {
      const error: unknown = await rig()
        .socket()
        .bind("9.9.9.9", 4000)
        .catch((cause: unknown) => cause);
      expect([errnoOf(error), (error as { errno: number }).errno]).toEqual(["EADDRNOTAVAIL", 99]);
    });
  });
}

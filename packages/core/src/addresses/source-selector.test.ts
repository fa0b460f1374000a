import { Gid, IpAddress, PKey } from "@verbena/ib";
import type { HostAddress } from "@verbena/native";
import { fabricSourceSelector, kernelSourceSelector } from "./source-selector.js";

const host = (address: string, prefixLength: number): HostAddress => ({
  address,
  prefixLength,
  gid: Gid.zero,
  pkey: PKey.DEFAULT,
});

describe("fabricSourceSelector", () => {
  const selector = fabricSourceSelector(() => [
    host("10.9.0.1", 16),
    host("192.0.2.1", 24),
    host("192.0.2.130", 25),
    host("2001:db8::1", 64),
    host("2001:db8:0:1::1", 64),
  ]);

  it.each([
    ["192.0.2.7", "192.0.2.1"],
    ["192.0.2.140", "192.0.2.130"],
    ["10.9.200.1", "10.9.0.1"],
    ["203.0.113.1", "10.9.0.1"],
    ["2001:db8:0:1::9", "2001:db8:0:1::1"],
    ["2001:db8:ffff::9", "2001:db8::1"],
  ])("%s from %s", async (destination, source) => {
    expect(await selector.select(IpAddress.parse(destination))).toBe(source);
  });

  it("fails with ENETUNREACH when there is no address of the family", async () => {
    await expect(fabricSourceSelector(() => []).select(IpAddress.parse("192.0.2.7"))).rejects.toMatchObject({
      code: "VERBENA_RESOLVE_NO_ROUTE_TO_SOURCE",
      errno: 101,
      // `ip route get` would show the routes of this machine, not those of the simulated host.
      hint: expect.stringContaining("`verbena sim ctl --dir DIR addr add NODE IP/PREFIX`"),
    });
  });
});

describe("kernelSourceSelector", () => {
  it("takes what the kernel's routing takes", async () => {
    expect(await kernelSourceSelector.select(IpAddress.parse("127.0.0.9"))).toBe("127.0.0.1");
  });

  it("carries the kernel's errno", async () => {
    // Multicast without an interface, broadcast without the right to it: refused by every kernel, with one errno or another.
    const refused = await kernelSourceSelector.select(IpAddress.parse("255.255.255.255")).then(
      () => undefined,
      (error: unknown) => error as { code: string; errno: number },
    );
    expect(refused?.code).toBe("VERBENA_RESOLVE_NO_ROUTE_TO_SOURCE");
    expect(refused?.errno).toBeGreaterThan(0);
  });
});

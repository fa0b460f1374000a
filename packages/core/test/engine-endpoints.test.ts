import { Gid, Guid, IpAddress, Lid, PKey } from "@verbena/ib";
import { FakeProvider } from "../src/testing/index.js";
import {
  ask,
  client,
  codeOf,
  embedded,
  gid,
  HOST,
  HOST_2,
  hostAddress,
  ip,
  named,
  nodeGuid,
  startBench,
  toGid,
  toLid,
} from "./support/engine-bench.js";

const NOWHERE = { dgid: Gid.zero, sgid: Gid.zero, dlid: Lid.zero, slid: Lid.zero, pkey: PKey.zero, client };

describe("engine: endpoints", () => {
  it("lists devices last opened first, active ports ascending, endpoints newest first; IPs before names", async () => {
    const bench = await startBench(
      {
        addressFile: [
          { kind: "name", text: "Host1", device: "SIM0", port: 1, pkey: "default" },
          { kind: "name", text: "storage", device: "sim0", port: 1, pkey: PKey.from(0x0002) },
          { kind: "name", text: "second", device: "sim0", port: 2, pkey: "default" },
          { kind: "name", text: "other", device: "sim1", port: 1, pkey: "default" },
        ],
      },
      (native) => {
        native.set("sim0", 1, { pkeys: [PKey.DEFAULT, PKey.zero, PKey.from(0x8002), PKey.from(0x8003)] });
        native.set("sim0", 2, { state: "active" });
        const ports = [{ port: 1, portGuid: Guid.from(0x300001n), lid: Lid.from(9) }];
        native.plug({ name: "sim1", nodeGuid: Guid.from(0x300000n), ports });
      },
    );
    expect(bench.engine.endpoints().map(({ key, addresses, state }) => [key, addresses, state])).toEqual([
      ["sim1/1/0xffff", ["other"], "ready"],
      ["sim0/1/0x8002", ["storage"], "ready"],
      ["sim0/1/0xffff", ["192.0.2.1/24", "Host1"], "ready"],
      ["sim0/2/0xffff", ["second"], "ready"],
    ]);
    expect(bench.engine.endpoints()[2]).toMatchObject({
      nodeGuid: 0x100000n,
      portCount: 2,
      lid: 2,
      gid: gid(HOST),
      provider: "fake",
    });
    expect(bench.provider.endpoints.map(({ endpoint }) => endpoint.pkeyIndex)).toEqual([0, 2, 0, 0]);
    await bench.engine.close();
  });

  it("has one for each of several virtual functions, which share a node GUID: paths begin at the one that is asked from", async () => {
    const functions = [1, 2].map((n) => ({
      name: `vf${String(n)}`,
      guid: Guid.from(0x400000n + BigInt(n)),
      lid: 8 + n,
    }));
    const bench = await startBench({ addressFile: [] }, (native) => {
      for (const { name, guid, lid } of functions) {
        native.plug({ name, nodeGuid: Guid.from(0x100000n), ports: [{ port: 1, portGuid: guid, lid: Lid.from(lid) }] });
        native.addresses.add(hostAddress(`192.0.2.${String(lid)}`, guid));
      }
    });
    expect(bench.engine.endpoints().map(({ key, nodeGuid: of, lid, addresses }) => [key, of, lid, addresses])).toEqual([
      ["vf2/1/0xffff", 0x100000n, 10, ["192.0.2.10/24"]],
      ["vf1/1/0xffff", 0x100000n, 9, ["192.0.2.9/24"]],
      ["sim0/1/0xffff", 0x100000n, 2, ["192.0.2.1/24"]],
    ]);
    for (const { guid, lid } of functions) {
      const source = ip(`192.0.2.${String(lid)}`);
      const { paths } = await bench.clock.run(bench.engine.resolve({ source, destination: named("node5"), client }));
      expect(paths[0]).toMatchObject({ sgid: gid(guid), dlid: 105 });
    }
    bench.native.unplug("vf1");
    await bench.clock.run(Promise.resolve());
    const left = await bench.clock.run(
      bench.engine.resolve({ source: ip("192.0.2.10"), destination: named("node6"), client }),
    );
    expect(left.paths[0]).toMatchObject({ sgid: gid(0x400002), dlid: 106 });
    expect(bench.engine.endpoints().map(({ key }) => key)).toEqual(["vf2/1/0xffff", "sim0/1/0xffff"]);
    await bench.engine.close();
  });

  it("is shown as ibacmp when the acm chain is in use", async () => {
    const acm = new FakeProvider();
    const bench = await startBench({ providers: new Map([["acm", acm]]), chains: { address: ["acm"], route: [] } });
    expect(bench.engine.endpoints()[0]?.provider).toBe("ibacmp");
    await bench.engine.close();
  });

  it("refuses a chain with a provider that is not there, by name", async () => {
    await expect(startBench({ chains: { address: ["acm", "sa"], route: [] } })).rejects.toMatchObject({
      code: "VERBENA_ENGINE_CHAIN",
      message: expect.stringContaining('"acm"') as unknown,
    });
  });

  it("follows IPs that come and go; a freed slot is used again; later ones carry no prefix length", async () => {
    const bench = await startBench();
    const texts = (): readonly string[] => bench.engine.endpoints()[0]?.addresses ?? [];
    const first = bench.native.hardware.size === 1 ? hostAddress("192.0.2.5") : hostAddress("192.0.2.6");
    bench.native.addresses.add(first);
    await bench.clock.settle();
    expect(texts()).toEqual(["192.0.2.1/24", "Host1", "192.0.2.5"]);
    bench.native.addresses.reset([first]);
    await bench.clock.settle();
    expect(texts()).toEqual(["Host1", "192.0.2.5"]);
    expect(bench.engine.endpointOf(ip("192.0.2.1"))).toBeUndefined();
    bench.native.addresses.add(hostAddress("2001:db8::1"));
    await bench.clock.settle();
    expect(texts()).toEqual(["2001:db8::1", "Host1", "192.0.2.5"]);
    expect(bench.provider.endpoints[0]?.addresses.map(({ text }) => text)).toEqual([
      "Host1",
      "192.0.2.5",
      "2001:db8::1",
    ]);
    await bench.engine.close();
  });

  it("makes an endpoint when a partition gets its first address later", async () => {
    const bench = await startBench({}, (native) => {
      native.set("sim0", 1, { pkeys: [PKey.DEFAULT, PKey.from(0x8005)] });
    });
    expect(bench.engine.endpoints()).toHaveLength(1);
    bench.native.addresses.add(hostAddress("198.51.100.1", HOST, 0x8005));
    await bench.clock.settle();
    expect(bench.engine.endpoints().map(({ key, addresses }) => [key, addresses])).toEqual([
      ["sim0/1/0x8005", ["198.51.100.1"]],
      ["sim0/1/0xffff", ["192.0.2.1/24", "Host1"]],
    ]);
    const answer = bench.engine.resolve({ source: ip("198.51.100.1"), destination: named("node3"), client });
    expect((await bench.clock.run(answer)).paths[0]).toMatchObject({ dlid: 103, pkey: 0x8005 });
    await bench.engine.close();
  });

  it("tells a provider of what came and went while it was opening the endpoint", async () => {
    let open: () => void = () => undefined;
    const bench = await startBench();
    bench.native.linkDown("sim0", 1);
    await bench.clock.settle();
    bench.provider.endpointGate = new Promise((resolve) => {
      open = resolve;
    });
    bench.native.linkUp("sim0", 1);
    await bench.clock.settle();
    bench.native.addresses.reset([hostAddress("192.0.2.2")]);
    await bench.clock.settle();
    expect(bench.engine.endpoints()[0]?.addresses).toEqual(["192.0.2.2", "Host1"]);
    open();
    await bench.clock.settle();
    expect(bench.provider.endpoints[0]?.addresses.map(({ text }) => text)).toEqual(["Host1", "192.0.2.2"]);
    await bench.engine.close();
  });

  it("takes a new address file without touching what stayed", async () => {
    const bench = await startBench();
    bench.engine.setAddressFile([
      { kind: "name", text: "host1", device: "sim0", port: 1, pkey: "default" },
      { kind: "name", text: "alias", device: "sim0", port: 1, pkey: "default" },
    ]);
    expect(bench.engine.endpoints()[0]?.addresses).toEqual(["192.0.2.1/24", "Host1", "alias"]);
    bench.engine.setAddressFile([]);
    expect(bench.engine.endpoints()[0]?.addresses).toEqual(["192.0.2.1/24"]);
    expect(bench.provider.endpoints[0]?.addresses.map(({ text }) => text)).toEqual(["192.0.2.1/24"]);
    await bench.engine.close();
  });
});

describe("engine: choice of the source (spec 1.7)", () => {
  it("takes the source that is named, also of another kind than the destination", async () => {
    const bench = await startBench();
    const answer = await bench.clock.run(
      bench.engine.resolve({ source: named("HOST1"), destination: ip("10.0.0.4"), client }),
    );
    expect(answer.chosenSource).toBeUndefined();
    expect(answer.paths[0]?.dlid).toBe(104);
    await bench.engine.close();
  });

  it("chooses one for an IP, and says which", async () => {
    const bench = await startBench();
    const request = { destination: ip("10.0.0.4"), client };
    expect((await bench.clock.run(bench.engine.resolve(request))).chosenSource).toBe("192.0.2.1");
    expect((await bench.engine.resolve(request)).chosenSource).toBe("192.0.2.1");
    await bench.engine.close();
  });

  it("carries the errno when there is no route to choose by", async () => {
    const bench = await startBench();
    await expect(bench.engine.resolve({ destination: ip("2001:db8::9"), client })).rejects.toMatchObject({
      code: "VERBENA_RESOLVE_NO_ROUTE_TO_SOURCE",
      errno: 101,
    });
    expect(bench.engine.counters()).toMatchObject({ resolve: 1, error: 1, noData: 0 });
    await bench.engine.close();
  });

  it("refuses sources that are not here, and the chosen one if it sits on no endpoint", async () => {
    const bench = await startBench({
      sourceSelector: { select: () => Promise.resolve(IpAddress.parse("203.0.113.1")) },
    });
    const unknown = bench.engine.resolve({ source: named("nobody"), destination: named("node1"), client });
    expect(await codeOf(unknown)).toBe("VERBENA_RESOLVE_NO_SOURCE");
    expect(await codeOf(bench.engine.resolve({ destination: ip("10.0.0.1"), client }))).toBe(
      "VERBENA_RESOLVE_NO_SOURCE",
    );
    // The second port is down: its name is nobody's.
    const down = bench.engine.resolve({ source: named("host1-2"), destination: named("node1"), client });
    expect(await codeOf(down)).toBe("VERBENA_RESOLVE_NO_SOURCE");
    await bench.engine.close();
  });

  it("wants a source for names from the wire, and none from in-process callers", async () => {
    const bench = await startBench();
    expect(await codeOf(bench.engine.resolve({ destination: named("node1"), client }))).toBe(
      "VERBENA_RESOLVE_DESTINATION_TYPE",
    );
    const request = { destination: named("node1"), client: embedded };
    expect((await bench.clock.run(bench.engine.resolve(request))).paths[0]?.dlid).toBe(101);
    expect(bench.engine.tryResolveCached(request)?.paths[0]?.dlid).toBe(101);
    const byLid = bench.engine.resolve({ destination: toLid(150), client: embedded });
    expect((await bench.clock.run(byLid)).paths[0]?.dlid).toBe(150);
    const byGid = bench.engine.resolve({ destination: toGid(gid(nodeGuid(9))), client: embedded });
    expect((await bench.clock.run(byGid)).paths[0]?.dlid).toBe(109);
    await bench.engine.close();
  });

  it("gives up choosing at the deadline", async () => {
    const bench = await startBench({ sourceSelector: { select: () => new Promise(() => undefined) } });
    const late = codeOf(bench.engine.resolve({ destination: ip("10.0.0.1"), client, deadlineMs: 50 }));
    expect(await bench.clock.run(late)).toBe("VERBENA_RESOLVE_TIMEOUT");
    expect(bench.clock.now()).toBe(50);
    await bench.engine.close();
  });
});

describe("engine: endpoints that are not ready", () => {
  it("answers not ready while no provider is, also for what is cached", async () => {
    const bench = await startBench();
    await bench.clock.run(ask(bench, "node1"));
    bench.provider.endpoints[0]?.setState("joining");
    expect(bench.engine.endpoints()[0]?.state).toBe("joining");
    await expect(ask(bench, "node1")).rejects.toMatchObject({ code: "VERBENA_RESOLVE_NOT_READY" });
    expect(bench.engine.endpoints()[0]?.counters).toMatchObject({ resolve: 1, noData: 1, error: 0 });
    bench.provider.endpoints[0]?.setState("ready");
    expect((await ask(bench, "node1")).paths[0]?.dlid).toBe(101);
    await bench.engine.close();
  });

  it("waits for a port that is just being opened", async () => {
    const bench = await startBench();
    let open: () => void = () => undefined;
    bench.provider.gate = new Promise((resolve) => {
      open = resolve;
    });
    bench.native.linkUp("sim0", 2);
    await bench.clock.settle();
    const answer = bench.engine.resolve({ source: named("host1-2"), destination: named("node2"), client });
    const short = codeOf(
      bench.engine.resolve({ source: named("host1-2"), destination: named("node2"), client, deadlineMs: 5 }),
    );
    await bench.clock.advance(10);
    expect(await short).toBe("VERBENA_RESOLVE_TIMEOUT");
    open();
    expect((await bench.clock.run(answer)).paths[0]).toMatchObject({ dlid: 102, sgid: gid(HOST_2) });
    await bench.engine.close();
  });

  it("works with one provider when the other fails to open", async () => {
    const broken = new FakeProvider();
    broken.openPort = () => {
      throw new TypeError("boom");
    };
    const { provider } = await startBench();
    const bench = await startBench({
      providers: new Map([
        ["broken", broken],
        ["fake", provider],
      ]),
      chains: { address: ["broken", "fake"], route: ["fake"] },
    });
    expect((await bench.clock.run(ask(bench, "node1"))).provenance.address?.provider).toBe("fake");
    await bench.engine.close();
  });
});

describe("engine: own addresses (spec 4.8, 4.9)", () => {
  it("answers them from here, with the port's MTU and rate and no selector", async () => {
    const bench = await startBench({}, (native) => {
      native.set("sim0", 1, { lid: Lid.from(0x0b), lmc: 2 });
    });
    const answer = await ask(bench, "host1");
    expect(answer.paths).toEqual([
      expect.objectContaining({
        sgid: gid(HOST),
        dgid: gid(HOST),
        slid: 8,
        dlid: 8,
        pkey: 0xffff,
        reversible: true,
        numbPath: 0,
        sl: 0,
        mtuSelector: 0,
        mtu: 4,
        rateSelector: 0,
        rate: 7,
        packetLifeTime: 0,
      }),
    ]);
    expect(answer.provenance.route).toEqual({ provider: "local", from: "local" });
    expect(bench.engine.endpoints()[0]?.counters).toMatchObject({ resolve: 1, routeCache: 1, routeQuery: 0 });
    expect(bench.provider.addressQuestions).toHaveLength(0);
    await bench.engine.close();
  });

  it("asks the providers for them with loopback none", async () => {
    const bench = await startBench({ loopback: "none" });
    expect(await bench.clock.run(codeOf(ask(bench, "host1")))).toBe("VERBENA_RESOLVE_NO_DATA");
    expect(bench.provider.addressQuestions).toHaveLength(1);
    await bench.engine.close();
  });

  it("drops what was remembered of an address that becomes local, everywhere", async () => {
    const bench = await startBench();
    await bench.clock.run(ask(bench, "x", { destination: ip("10.0.0.9") }));
    bench.native.addresses.add(hostAddress("10.0.0.9"));
    await bench.clock.settle();
    const answer = await ask(bench, "x", { destination: ip("10.0.0.9") });
    expect(answer.provenance.route.from).toBe("local");
    bench.native.addresses.remove(hostAddress("10.0.0.9"));
    await bench.engine.close();
  });
});

describe("engine: choice of the endpoint for a path (spec 1.8)", () => {
  async function twoPorts() {
    return startBench(
      {
        addressFile: [
          { kind: "name", text: "one", device: "sim0", port: 1, pkey: "default" },
          { kind: "name", text: "one-b", device: "sim0", port: 1, pkey: PKey.from(0x8002) },
          { kind: "name", text: "two", device: "sim0", port: 2, pkey: "default" },
        ],
      },
      (native) => {
        native.set("sim0", 1, { pkeys: [PKey.DEFAULT, PKey.from(0x8002)], lid: Lid.from(8), lmc: 3 });
        native.set("sim0", 2, { state: "active", gids: [Gid.of(0xfec0_0000_0000_0001n, HOST_2)] });
      },
    );
  }

  it.each([
    ["by SGID", { sgid: Gid.of(0xfec0_0000_0000_0001n, HOST_2), dlid: Lid.from(101) }, "sim0/2/0xffff"],
    ["by a SGID that is not here", { sgid: gid(0x999), dlid: Lid.from(101) }, undefined],
    ["by SLID within the LMC", { slid: Lid.from(13), dlid: Lid.from(101) }, "sim0/1/0x8002"],
    ["by SLID of the other port", { slid: Lid.from(3), dlid: Lid.from(101) }, "sim0/2/0xffff"],
    ["by DLID alone: the newest endpoint of the first port", { dlid: Lid.from(101) }, "sim0/1/0x8002"],
    ["by DLID and P_Key, membership ignored", { dlid: Lid.from(101), pkey: PKey.from(0x7fff) }, "sim0/1/0xffff"],
    ["by the prefix of the DGID", { dgid: Gid.of(0xfec0_0000_0000_0001n, nodeGuid(1)) }, "sim0/2/0xffff"],
    ["by a DGID of no subnet here", { dgid: Gid.of(0xfd00n << 48n, nodeGuid(1)) }, undefined],
    ["by a P_Key that no port has", { dlid: Lid.from(101), pkey: PKey.from(0x8009) }, undefined],
  ])("%s", async (_what, fields, key) => {
    const bench = await twoPorts();
    const outcome = bench.engine.resolvePath({ ...NOWHERE, ...fields });
    if (key === undefined) expect(await codeOf(outcome)).toBe("VERBENA_RESOLVE_NO_SOURCE");
    else expect((await bench.clock.run(outcome)).endpoint.key).toBe(key);
    await bench.engine.close();
  });

  it("wants a destination", async () => {
    const bench = await twoPorts();
    expect(await codeOf(bench.engine.resolvePath(NOWHERE))).toBe("VERBENA_RESOLVE_DESTINATION");
    await bench.engine.close();
  });
});

/** The registry of names and IPs on one port, against an SA that keeps ServiceRecords as OpenSM does. */
import {
  Destination,
  type Endpoint,
  type LearnedEntry,
  type Logger,
  type Port,
  type ResolveContext,
} from "@verbena/core/sdk";
import { FakeNative, VirtualClock } from "@verbena/core/testing";
import { Gid, Guid, IpAddress, Lid, PKey, SaAttribute } from "@verbena/ib";
import { PortRegistry } from "../src/registry/port-registry.js";
import type { Registrar } from "../src/registry/registrar.js";
import { RegistryAddresses } from "../src/registry/registry-addresses.js";
import { encodeRegistration } from "../src/registry/registry-record.js";
import { SaRoutes } from "../src/route/sa-routes.js";
import { PORT } from "./sa-fake.js";
import { ServiceSa } from "./service-sa.js";

const LEASE_MS = 300_000;
const TTL_MS = 30_000;
const ip = (text: string) =>
  ({ kind: "ip", address: IpAddress.parse(text), text: `${text}/24`, origin: "system" }) as const;
const name = (text: string) => ({ kind: "name", name: text.toLowerCase(), text, origin: "file" }) as const;
const toIp = (text: string): Destination => Destination.ip(IpAddress.parse(text));

/** A host with one port and a registry. */
class Host {
  readonly guid: Guid;
  readonly gid: Gid;
  readonly native: FakeNative;
  readonly port: Port;
  readonly registry: PortRegistry;
  readonly warnings: string[] = [];
  readonly learned: LearnedEntry[] = [];
  readonly logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (message) => this.warnings.push(message),
    error: () => undefined,
    child: () => this.logger,
  };
  #draws = 0;

  constructor(
    sa: ServiceSa,
    clock: VirtualClock,
    readonly lid: number,
    readonly pkey = PKey.DEFAULT,
    seed = 0,
  ) {
    this.guid = Guid.from(0x1000n + BigInt(lid));
    this.gid = Gid.of(Gid.linkLocalPrefix, this.guid);
    this.native = new FakeNative({
      clock,
      devices: [{ name: "sim0", nodeGuid: this.guid, ports: [{ port: 1, portGuid: this.guid, lid: Lid.from(lid) }] }],
    });
    this.port = { ...PORT, portGuid: this.guid, gids: [this.gid], lid: Lid.from(lid), pkeys: [pkey] };
    this.registry = new PortRegistry({
      port: this.port,
      services: {
        sa,
        umad: this.native.umad,
        memberships: { hold: () => () => undefined, leaving: () => undefined },
        logger: this.logger,
      },
      routes: new SaRoutes(sa, undefined),
      clock,
      random: () => ((this.#draws++ * 37 + lid * 11 + seed) % 100) / 100,
      metrics: { increment: () => undefined, observe: () => undefined },
      options: { registryLeaseMs: LEASE_MS, registryTtlMs: TTL_MS },
    });
  }
  endpoint(addresses: Endpoint["addresses"] = []): Endpoint {
    return { key: "sim0/1/0xffff", port: this.port, pkey: this.pkey, pkeyIndex: 0, addresses };
  }

  has(...addresses: Endpoint["addresses"]): Registrar {
    return this.registry.open(this.endpoint(addresses), this.logger);
  }

  find(to: Destination) {
    return this.registry.lookup.find(to, this.context());
  }

  context(): ResolveContext {
    return {
      endpoint: this.endpoint(),
      signal: new AbortController().signal,
      deadline: Number.POSITIVE_INFINITY,
      requestId: "r-1",
      generation: 1,
      noDelay: false,
      learn: (entry) => this.learned.push(entry),
    };
  }

  get counts() {
    return this.registry.counters.read();
  }
}

describe("the registry", () => {
  let clock: VirtualClock;
  let sa: ServiceSa;
  let a: Host;
  let b: Host;
  let c: Host;

  beforeEach(() => {
    clock = new VirtualClock();
    sa = new ServiceSa(clock);
    [a, b, c] = [new Host(sa, clock, 2), new Host(sa, clock, 3), new Host(sa, clock, 4)];
  });

  const names = (): readonly string[] =>
    sa
      .records()
      .map(({ serviceName }) => serviceName)
      .sort();

  it("registers every name and IP of an endpoint; others find them by one Get, the path comes along", async () => {
    a.has(ip("192.0.2.7"), ip("2001:db8::7"), name("Node7"));
    await clock.settle();
    expect(names()).toEqual(["verbena:ip:192.0.2.7", "verbena:ip:2001:db8::7", "verbena:name:node7"]);
    sa.queries.length = 0;
    for (const to of [toIp("192.0.2.7"), toIp("2001:db8::7"), Destination.name("NODE7")]) {
      expect(await b.find(to)).toEqual({ gid: a.gid, ttlMs: TTL_MS });
    }
    // ServiceID (bit 0), ServiceP_Key (2), ServiceName (6); then, once for the port, DGID, SGID, reversible, P_Key.
    expect(sa.queries.map(({ method, attributeId, componentMask }) => [method, attributeId, componentMask])).toEqual([
      ["get", SaAttribute.SERVICE_RECORD, 0x45n],
      ["get", SaAttribute.PATH_RECORD, 0x280cn],
      ["get", SaAttribute.SERVICE_RECORD, 0x45n],
      ["get", SaAttribute.SERVICE_RECORD, 0x45n],
    ]);
    expect(b.learned).toHaveLength(1);
    expect(b.learned[0]).toMatchObject({
      kind: "route",
      query: { sgid: b.gid, dgid: a.gid, reversible: true, maxPaths: 1 },
      answer: { paths: [{ dgid: a.gid }] },
    });
    expect(await b.find(toIp("192.0.2.8"))).toBeUndefined();
  });

  it("lets limited members find what full members have registered, within the partition only", async () => {
    a.has(ip("192.0.2.7"));
    await clock.settle();
    expect(await new Host(sa, clock, 5, PKey.from(0x7fff)).find(toIp("192.0.2.7"))).toMatchObject({ gid: a.gid });
    expect(await new Host(sa, clock, 6, PKey.from(0x8002)).find(toIp("192.0.2.7"))).toBeUndefined();
  });

  it("confirms once, then renews between a half and two thirds of the lease, for ever, with the same claim", async () => {
    const times: number[] = [];
    sa.intercept = ({ method }) => {
      if (method === "set") times.push(clock.now());
      return undefined;
    };
    a.has(ip("192.0.2.7"));
    await clock.settle();
    const [first] = sa.records();
    for (let quarter = 0; quarter < 40; quarter++) {
      await clock.advance(LEASE_MS / 4);
      expect(sa.records()).toEqual([first]);
    }
    const gaps = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / LEASE_MS);
    const confirmedAfter = (gaps.shift() ?? 0) * LEASE_MS;
    expect(confirmedAfter).toBeGreaterThanOrEqual(5_000);
    expect(confirmedAfter).toBeLessThanOrEqual(10_000);
    expect(gaps.length).toBeGreaterThanOrEqual(15);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1 / 2);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(2 / 3);
    expect(new Set(gaps).size).toBeGreaterThan(5);
  });

  it("is forgotten by the SA one lease after a host that vanished", async () => {
    const registrar = a.has(ip("192.0.2.7"));
    await clock.settle();
    a.native.linkDown("sim0", 1);
    await a.registry.close(registrar);
    expect(sa.methods()).toEqual(["get", "set"]);
    await clock.advance(LEASE_MS - 1);
    expect(names()).toHaveLength(1);
    await clock.advance(1);
    expect(await b.find(toIp("192.0.2.7"))).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  it("deletes what has left, and everything at an orderly end", async () => {
    const registrar = a.has(ip("192.0.2.7"), name("node7"));
    await clock.settle();
    await registrar.remove(ip("192.0.2.7"));
    expect(names()).toEqual(["verbena:name:node7"]);
    void registrar.add(ip("192.0.2.8"));
    await clock.settle();
    await a.registry.close(registrar);
    expect(names()).toEqual([]);
    expect(a.counts).toEqual({ registryRegistered: 3, registryDeleted: 3 });
    expect(clock.pending).toBe(0);
  });

  it("keeps the last wish, however fast an address comes and goes", async () => {
    const registrar = a.has();
    for (let n = 0; n < 5; n++) {
      void registrar.add(ip("192.0.2.7"));
      void registrar.remove(ip("192.0.2.7"));
    }
    await clock.settle();
    expect(names()).toEqual([]);
    for (let n = 0; n < 5; n++) {
      void registrar.remove(ip("192.0.2.7"));
      void registrar.add(ip("192.0.2.7"));
    }
    await clock.settle();
    expect(names()).toEqual(["verbena:ip:192.0.2.7"]);
  });

  it("does not delete what a later session of the same port has taken over: a reload", async () => {
    const before = a.has(ip("192.0.2.7"));
    await clock.settle();
    const after = new Host(sa, clock, a.lid, a.pkey, 1);
    after.has(ip("192.0.2.7"));
    await clock.settle();
    await a.registry.close(before);
    expect(names()).toEqual(["verbena:ip:192.0.2.7"]);
    expect(a.counts).not.toHaveProperty("registryDeleted");
    expect(await b.find(toIp("192.0.2.7"))).toMatchObject({ gid: a.gid });
  });

  it("does not delete when the port has got another LID: it is renewed right away", async () => {
    const registrar = a.has(ip("192.0.2.7"));
    await clock.settle();
    a.native.set("sim0", 1, { lid: Lid.from(77) });
    await a.registry.close(registrar);
    expect(names()).toEqual(["verbena:ip:192.0.2.7"]);
  });

  it("is confirmed ten seconds later, whatever a former session deleted meanwhile", async () => {
    a.has(ip("192.0.2.7"));
    await clock.settle();
    sa.clear();
    await clock.advance(10_000);
    expect(names()).toEqual(["verbena:ip:192.0.2.7"]);
    expect(a.counts).toEqual({ registryRegistered: 1, registryRenewed: 1 });
  });

  it("opens an endpoint when its addresses are registered, or after a second", async () => {
    const { opened } = a.has(ip("192.0.2.7"), name("node7"));
    expect(names()).toEqual([]);
    await opened;
    expect(names()).toHaveLength(2);
    sa.intercept = () => new Promise(() => undefined);
    let isOpen = false;
    void b.has(name("node8")).opened.then(() => {
      isOpen = true;
    });
    await clock.advance(999);
    expect(isOpen).toBe(false);
    await clock.advance(1);
    expect(isOpen).toBe(true);
  });

  it("registers again within a second when the SA is another one", async () => {
    a.has(ip("192.0.2.7"), name("node7"));
    await clock.settle();
    sa.clear();
    a.registry.onChange();
    await clock.advance(1000);
    expect(names()).toHaveLength(2);
    expect(a.counts).toEqual({ registryRegistered: 4 });
  });

  it("registers again within a second also when a renewal is under way as the SA becomes another one", async () => {
    a.has(ip("192.0.2.7"));
    await clock.advance(10_000);
    let answer: () => void = () => undefined;
    sa.intercept = ({ method, record }) =>
      method !== "set"
        ? undefined
        : new Promise((resolve) => {
            answer = () => {
              resolve({ status: 0, records: [Buffer.from(record)] });
            };
          });
    await clock.advance((2 / 3) * LEASE_MS);
    sa.clear();
    a.registry.onChange();
    sa.intercept = () => undefined;
    answer();
    await clock.advance(1000);
    expect(names()).toEqual(["verbena:ip:192.0.2.7"]);
    expect(a.counts).toEqual({ registryRegistered: 3, registryRenewed: 1 });
  });

  describe("of two ports with one address", () => {
    it.each([
      ["old owner first", true],
      ["new owner first", false],
    ])("the one that got it last is found, %s", async (_what, isOldFirst) => {
      const [old, young] = [a.has(ip("192.0.2.7")), b.has()];
      await clock.settle();
      if (isOldFirst) {
        await old.remove(ip("192.0.2.7"));
        expect(await c.find(toIp("192.0.2.7"))).toBeUndefined();
      }
      void young.add(ip("192.0.2.7"));
      await clock.settle();
      expect(await c.find(toIp("192.0.2.7"))).toMatchObject({ gid: b.gid });
      await old.remove(ip("192.0.2.7"));
      expect(await c.find(toIp("192.0.2.7"))).toMatchObject({ gid: b.gid });
    });

    it("it may come back to the first", async () => {
      const [first, second] = [a.has(ip("192.0.2.7")), b.has()];
      await clock.settle();
      void second.add(ip("192.0.2.7"));
      await clock.settle();
      await first.remove(ip("192.0.2.7"));
      void first.add(ip("192.0.2.7"));
      await clock.settle();
      expect(await c.find(toIp("192.0.2.7"))).toMatchObject({ gid: a.gid });
    });

    it("the duplicate is counted each time and logged once", async () => {
      a.has(ip("192.0.2.7"));
      await clock.settle();
      b.has(ip("192.0.2.7"));
      await clock.settle();
      for (let n = 0; n < 3; n++) expect(await c.find(toIp("192.0.2.7"))).toMatchObject({ gid: b.gid });
      expect(c.counts).toEqual({ registryDuplicate: 3, registryFound: 3 });
      expect(c.warnings).toEqual(["several ports have registered one address; the first is used"]);
    });

    it("the newest that can be reached is found", async () => {
      a.has(ip("192.0.2.7"));
      await clock.settle();
      b.has(ip("192.0.2.7"));
      await clock.settle();
      sa.cut.add(b.gid);
      expect(await c.find(toIp("192.0.2.7"))).toMatchObject({ gid: a.gid });
      sa.cut.add(a.gid);
      c.registry.onChange();
      expect(await c.find(toIp("192.0.2.7"))).toBeUndefined();
      expect(c.counts).toMatchObject({ registryUnreachable: 3 });
    });

    it("one whose port has left, as a notice tells, is passed over at once", async () => {
      a.has(ip("192.0.2.7"));
      await clock.settle();
      b.has(ip("192.0.2.7"));
      await clock.settle();
      expect(await c.find(toIp("192.0.2.7"))).toMatchObject({ gid: b.gid });
      sa.cut.add(b.gid);
      c.registry.lookup.onNotice({ type: "gid-in", gid: b.gid });
      c.registry.lookup.onNotice({ type: "gid-out", gid: a.gid });
      expect(await c.find(toIp("192.0.2.7"))).toMatchObject({ gid: b.gid });
      c.registry.lookup.onNotice({ type: "gid-out", gid: b.gid });
      expect(await c.find(toIp("192.0.2.7"))).toMatchObject({ gid: a.gid });
    });

    it.each<[string, () => void]>([
      ["its port leaves", () => c.registry.lookup.onNotice({ type: "gid-out", gid: a.gid })],
      ["the port's surroundings change", () => c.registry.onChange()],
    ])("a path that is on its way when %s does not make it reachable", async (_what, happen) => {
      a.has(ip("192.0.2.7"));
      await clock.settle();
      sa.intercept = ({ attributeId }) => {
        if (attributeId === SaAttribute.PATH_RECORD) happen();
        return undefined;
      };
      expect(await c.find(toIp("192.0.2.7"))).toMatchObject({ gid: a.gid });
      sa.intercept = () => undefined;
      sa.cut.add(a.gid);
      expect(await c.find(toIp("192.0.2.7"))).toBeUndefined();
    });
  });

  it("passes over records that are wrong or none of ours, and finds the right one among them", async () => {
    a.has(ip("192.0.2.7"));
    await clock.settle();
    const [good] = sa.records();
    if (good === undefined) throw new Error("not registered");
    const gid = (n: number): Gid => Gid.of(Gid.linkLocalPrefix, BigInt(0x9000 + n));
    const foreign = Buffer.from(good.serviceData).fill(9, 4, 5).fill(0xff, 32, 36);
    sa.put({ ...good, serviceGid: gid(1), serviceData: foreign });
    sa.put({ ...good, serviceGid: gid(2), serviceData: Buffer.alloc(64) });
    sa.put({ ...good, serviceGid: Gid.parse("ff12::1") });
    sa.put({ ...good, serviceGid: gid(3), serviceLease: 0xffff_ffff });
    expect(await c.find(toIp("192.0.2.7"))).toMatchObject({ gid: a.gid });
    expect(c.counts).toEqual({ registryFound: 1, registryIgnored: 4 });
  });

  it("looks at no more than eight of many claims", async () => {
    for (let n = 1; n <= 100; n++) {
      const gid = Gid.of(Gid.linkLocalPrefix, BigInt(0x9000 + n));
      const id = { serviceName: "verbena:ip:192.0.2.7", gid, pkey: PKey.DEFAULT };
      const bytes = encodeRegistration(id, { ...id, leaseSeconds: 300, claim: n, instance: 1n });
      await sa.query({ method: "set", attributeId: SaAttribute.SERVICE_RECORD, componentMask: 0n, record: bytes });
      sa.cut.add(gid);
    }
    sa.queries.length = 0;
    expect(await c.find(toIp("192.0.2.7"))).toBeUndefined();
    expect(sa.queries.filter(({ attributeId }) => attributeId === SaAttribute.PATH_RECORD)).toHaveLength(8);
  });

  it("an answer lives no longer than what is left of a lease, where the SA says it", async () => {
    const id = { serviceName: "verbena:ip:192.0.2.7", gid: a.gid, pkey: PKey.DEFAULT };
    const record = encodeRegistration(id, { ...id, leaseSeconds: 5, claim: 1, instance: 1n });
    await sa.query({ method: "set", attributeId: SaAttribute.SERVICE_RECORD, componentMask: 0n, record });
    expect(await c.find(toIp("192.0.2.7"))).toEqual({ gid: a.gid, ttlMs: 5000 });
  });

  it("guesses a name that nobody has registered, also when the registry fails; an IP is never guessed", async () => {
    const others = {
      resolveAddress: (to: Destination) => Promise.resolve(to.text === "node8" ? { lid: Lid.from(8) } : undefined),
    };
    const addresses = new RegistryAddresses(c.registry.lookup, others);
    const ask = (to: Destination) => addresses.resolveAddress(to, c.context());
    a.has(name("node7"));
    await clock.settle();
    expect(await ask(Destination.name("node7"))).toMatchObject({ gid: a.gid });
    expect(await ask(Destination.name("node8"))).toEqual({ lid: 8, ttlMs: TTL_MS });
    expect(await ask(Destination.name("node9"))).toBeUndefined();
    expect(await ask(Destination.gid(a.gid))).toBeUndefined();
    sa.intercept = () => Promise.resolve({ status: 0x0100, records: [] });
    expect(await ask(Destination.name("node8"))).toEqual({ lid: 8, ttlMs: TTL_MS });
    for (const to of [Destination.name("node9"), toIp("192.0.2.7")]) {
      await expect(ask(to)).rejects.toMatchObject({ code: "VERBENA_PROVIDER_SA_STATUS" });
    }
  });

  it("tries again when the SA refuses or is silent, warns once, and is there once it answers", async () => {
    let refusals = 0;
    sa.intercept = ({ method }) => {
      if (method !== "set" || refusals === 6) return undefined;
      refusals += 1;
      return refusals % 2 === 0
        ? Promise.reject(new Error("no answer"))
        : Promise.resolve({ status: 0x0100, records: [] });
    };
    a.has(ip("192.0.2.7"));
    await clock.advance(6 * (LEASE_MS / 4));
    expect(names()).toEqual(["verbena:ip:192.0.2.7"]);
    expect(a.warnings).toEqual(["cannot register an address"]);
    expect(a.counts).toMatchObject({ registryFailed: 6, registryRegistered: 1 });
  });

  it("has at most four registrations on their way, so that lookups get through", async () => {
    const waiting: (() => void)[] = [];
    sa.intercept = ({ method }) =>
      method === "get"
        ? new Promise((resolve) => {
            waiting.push(() => {
              resolve({ status: 0x0300, records: [] });
            });
          })
        : undefined;
    a.has(...Array.from({ length: 20 }, (_, n) => ip(`192.0.2.${n + 1}`)));
    await clock.settle();
    expect(waiting).toHaveLength(4);
    while (waiting.length > 0) {
      waiting.shift()?.();
      await clock.settle();
    }
    expect(names()).toHaveLength(20);
  });

  it("leaves a name that is too long for a ServiceName to others, with a warning", async () => {
    a.has(name("n".repeat(51)));
    await clock.settle();
    expect(sa.queries).toEqual([]);
    expect(a.warnings).toEqual(["an address is too long to be registered"]);
  });
});

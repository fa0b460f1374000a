/** Notices of Debian's OpenSM to the subscription of our engine: granted, what is sent of nodes and LIDs, and what the engine makes of it. */
import type { EngineChange, Resolver } from "@verbena/core";
import { type FabricLogEntry, SimControlClient, twoLevel } from "@verbena/fabric-sim";
import { Fleet } from "../../packages/cli/test/support/fleet.js";
import { OpenSm } from "./opensm.js";
import { missing, records, runOnNode } from "./sim-programs.js";

const reason = missing("opensm", "saquery", "ibportstate");
const suite = reason === undefined ? describe : describe.skip;

jest.setTimeout(120_000);

type Notice = Extract<FabricLogEntry, { type: "notice" }>;

/** Takes from a stream until one fits; what was passed over is gone. */
async function until<T, U extends T>(stream: AsyncIterator<T>, fits: (item: T) => item is U): Promise<U> {
  for (;;) {
    const { done, value } = await stream.next();
    if (done === true) throw new Error("the stream has ended");
    if (fits(value)) return value;
  }
}

suite(`notices of OpenSM${reason === undefined ? "" : `: ${reason}`}`, () => {
  let fleet: Fleet;
  let opensm: OpenSm;
  let standby: OpenSm | undefined;
  let resolver: Resolver;
  let log: AsyncIterator<FabricLogEntry>;
  let changes: AsyncIterator<EngineChange>;
  const abort = new AbortController();

  beforeAll(async () => {
    fleet = await Fleet.start({ topology: twoLevel({ hosts: 4 }), sm: "opensm" });
    opensm = await OpenSm.up({ fabric: fleet.dir, node: "H1", options: ["sm_priority 5"] });
    log = SimControlClient.watchEvents(fleet.dir, { signal: abort.signal });
    await log.next();
    resolver = await fleet.resolver("H2");
    changes = resolver.changes(abort.signal);
  });
  afterAll(async () => {
    abort.abort();
    await standby?.stop();
    await opensm.stop();
    await fleet[Symbol.asyncDispose]();
  });

  /** The next report that arrives at the subscriber. */
  const notice = async () => {
    const { trapNumber, issuerLid, gid } = await until(
      log,
      (entry): entry is Notice => entry.type === "notice" && entry.end === "H2[1]",
    );
    return { trapNumber, issuerLid, ...(gid === undefined ? {} : { gid }) };
  };
  const heard = (event: string): Promise<unknown> =>
    until(changes, (change): change is EngineChange => change.type === "notice" && change.event === event);
  const host = async (node: string) => {
    const found = (await fleet.hosts()).get(node);
    if (found === undefined) throw new Error(`no host ${node}`);
    return found;
  };
  const lidFound = async (destination: string): Promise<number | undefined> =>
    (await resolver.resolve(destination)).paths[0]?.dlid;
  /** Sets the LID of a port, as nobody but the manager should. */
  const setLid = async (lid: number, to: number): Promise<void> => {
    const { status } = await runOnNode(fleet.dir, "H4", "ibportstate", String(lid), "1", "lid", String(to));
    expect(status).toBe(0);
  };

  /** What OpenSM has written down: of each subscription the subscriber, and what it wishes to hear. */
  const subscriptions = async () => {
    const all = records((await runOnNode(fleet.dir, "H3", "saquery", "IIR")).stdout);
    return {
      subscribers: all.flatMap(({ SubscriberGID }) => SubscriberGID ?? []),
      wishes: all.filter(({ trap_num }) => trap_num !== undefined),
    };
  };

  it("are granted for 64, 65 and 144 of all ports", async () => {
    expect(resolver.engine.saPorts()).toMatchObject([{ notices: "subscribed", refused: 0 }]);
    const { subscribers, wishes } = await subscriptions();
    expect(new Set(subscribers)).toEqual(new Set([(await host("H2")).gid]));
    expect(wishes.map(({ trap_num }) => trap_num).sort()).toEqual(["144", "64", "65"]);
    for (const wish of wishes) expect(wish).toMatchObject({ gid: "::", lid_range_begin: "65535", subscribe: "0x1" });
  });

  it("say 65 when a node leaves, and its path is served no longer", async () => {
    const { gid, lid } = await host("H3");
    expect(await lidFound("node3")).toBe(lid);
    await fleet.sim.request({ op: "node", action: "remove", node: "H3" });
    expect(await notice()).toEqual({ trapNumber: 65, issuerLid: 1, gid });
    await heard("gid-out");
    await expect(resolver.resolve("node3")).rejects.toMatchObject({ code: "VERBENA_RESOLVE_NO_DATA" });
  });

  it("say 64 when it returns, and it is found at once", async () => {
    await fleet.sim.request({ op: "node", action: "restore", node: "H3" });
    const { gid, lid } = await host("H3");
    expect(await notice()).toEqual({ trapNumber: 64, issuerLid: 1, gid });
    await heard("gid-in");
    expect(await lidFound("node3")).toBe(lid);
  });

  it("say nothing of a LID that OpenSM changes on a port that stays up", async () => {
    const { gid, lid } = await host("H3");
    await setLid(lid, 77);
    expect((await host("H3")).lid).toBe(77);
    await opensm.sweep();
    expect((await host("H3")).lid).toBe(lid);
    await fleet.sim.request({ op: "node", action: "remove", node: "H3" });
    // The next one is that of the node that leaves.
    expect(await notice()).toEqual({ trapNumber: 65, issuerLid: 1, gid });
    await fleet.sim.request({ op: "node", action: "restore", node: "H3" });
    expect(await notice()).toEqual({ trapNumber: 64, issuerLid: 1, gid });
  });

  it("say 144 of a port that another OpenSM begins to manage from", async () => {
    const { lid } = await host("H4");
    await heard("gid-in");
    standby = await OpenSm.standby({ fabric: fleet.dir, node: "H4", options: ["sm_priority 1"] });
    expect(await notice()).toEqual({ trapNumber: 144, issuerLid: lid });
    expect(await heard("local-change")).toMatchObject({ lid });
  });

  it("are subscribed to again at an OpenSM that comes with other LIDs, and the new ones are found", async () => {
    await standby?.stop();
    standby = undefined;
    const before = await host("H3");
    expect(await lidFound("node3")).toBe(before.lid);
    const ports = (await fleet.status()).nodes.flatMap(({ kind, ports: [port] }) =>
      port === undefined ? [] : [{ kind, ...port }],
    );
    const lids = new Map(ports.map(({ guid, lid, end }) => [guid, end === "H3[1]" ? 40 : lid]));
    await opensm.stop();
    opensm = await OpenSm.up({ fabric: fleet.dir, node: "H1", options: ["sm_priority 5"], lids });
    expect((await host("H3")).lid).toBe(40);
    await until(
      changes,
      (change): change is EngineChange => change.type === "flushed" && change.reason.startsWith("the port has changed"),
    );
    expect(await lidFound("node3")).toBe(40);
    // A question to OpenSM each time; the test's own time is the bound.
    while ((await subscriptions()).wishes.length < 3);
    const { gid } = await host("H4");
    await fleet.sim.request({ op: "node", action: "remove", node: "H4" });
    expect(
      await until(log, (entry): entry is Notice => entry.type === "notice" && entry.trapNumber === 65),
    ).toMatchObject({
      end: "H2[1]",
      gid,
    });
  });
});

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import type { AddressMessage } from "../src/addresses/address-message.js";
import { CONTROL_SOCKET_NAME, type ControlRequest, type SyncedMessage } from "../src/control/protocol.js";
import { SimControlClient } from "../src/control/sim-control-client.js";
import { type RunningFabric, startFabric } from "../src/process/start-fabric.js";
import { twoLevel } from "../src/topology/generate.js";
import { parseTopology } from "../src/topology/parse-topology.js";
import { rejectionOf } from "./failure-of.js";
import { removeTempDirs, tempDir } from "./temp-dir.js";

let fabric: RunningFabric;
let client: SimControlClient;

beforeEach(async () => {
  const dir = tempDir();
  const addressesFile = join(dir, "addresses");
  writeFileSync(
    addressesFile,
    "# hosts\nH1[1] 10.0.0.1/24\nnode2 HCA-1[1]  fd00:0:0::2/64 0xffff # two\nnode3 10.0.0.3/24\n",
  );
  fabric = await startFabric({ topology: twoLevel({ hosts: 8 }), dir: join(dir, "f"), addressesFile });
  client = await SimControlClient.connect(fabric.dir);
});

afterEach(async () => {
  await client.close();
  await fabric.close();
  removeTempDirs();
});

describe("a fabric that stands still", () => {
  it("leaves every request with a coded error, the ones behind it and later ones too", async () => {
    const dir = tempDir();
    const silent = createServer().listen(join(dir, CONTROL_SOCKET_NAME));
    await once(silent, "listening");
    const waiting = await SimControlClient.connect(dir, { timeoutMs: 1 });
    const failures = await Promise.all([
      rejectionOf(waiting.request({ op: "status" })),
      rejectionOf(waiting.request({ op: "addresses" })),
    ]);
    expect([...failures, await rejectionOf(waiting.request({ op: "status" }))].map(({ code }) => code)).toEqual(
      Array.from({ length: 3 }, () => "VERBENA_SIM_CONTROL_TIMEOUT"),
    );
    silent.close();
  });
});

describe("requests", () => {
  it("status names the manager, counts, and the state of every cabled port", async () => {
    const status = await client.request({ op: "status" });
    expect(status).toMatchObject({
      protocol: 1,
      dir: fabric.dir,
      sm: { end: "H1[1]", lid: 1, guid: "0x0002c90300100001" },
      sa: { mode: "normal" },
      counts: { hosts: 8, switches: 3, links: 10, linksDown: 0, multicastGroups: 1, addresses: 3 },
      programs: [],
    });
    expect(status.nodes).toHaveLength(11);
    expect(status.nodes[1]).toEqual({
      id: "H2",
      kind: "ca",
      description: "node2 HCA-1",
      guid: "0x0002c90300100010",
      ports: [
        { end: "H2[1]", guid: "0x0002c90300100011", lid: 4, lmc: 0, state: "active", rate: "4xEDR", peer: "L1[2]" },
      ],
    });
  });

  it("link down and up answer when the manager has followed", async () => {
    const end = { end: "H2[1]", guid: "0x0002c90300100011", lid: 4, lmc: 0, rate: "4xEDR", peer: "L1[2]" };
    expect(await client.request({ op: "link", action: "down", end: "H2" })).toEqual({
      ports: [{ ...end, state: "down" }],
    });
    expect((await client.request({ op: "status" })).counts.linksDown).toBe(1);
    expect(await client.request({ op: "routes", from: "H1", to: "H2" })).toMatchObject({ arrives: false });
    expect(await client.request({ op: "link", action: "up", end: "H2[1]" })).toEqual({
      ports: [{ ...end, state: "active" }],
    });
  });

  it("gid and pkey change entries of a host port's tables", async () => {
    const guid = "0x00000000000000aa";
    expect(await client.request({ op: "gid", end: "H2", index: 2, guid })).toEqual({
      gids: ["fe80::2:c903:10:11", "::", "fe80::aa"],
    });
    expect(await rejectionOf(client.request({ op: "gid", end: "H3", index: 1, guid }))).toMatchObject({
      code: "VERBENA_SIM_CONTROL_REQUEST",
      message: expect.stringContaining("H2[1] has that GUID") as string,
    });
    expect(await client.request({ op: "gid", end: "H2", index: 2 })).toEqual({ gids: ["fe80::2:c903:10:11"] });
    expect(await client.request({ op: "pkey", end: "H2", index: 1, pkey: "0x8007" })).toEqual({
      pkeys: ["0xffff", "0x8007"],
    });
    expect(await client.request({ op: "pkey", end: "H2", index: 0 })).toEqual({ pkeys: ["0x0000", "0x8007"] });
    expect(await rejectionOf(client.request({ op: "pkey", end: "L1[1]", index: 0 }))).toMatchObject({
      code: "VERBENA_SIM_PORT_UNKNOWN",
    });
  });

  it("a link raises a trap", async () => {
    expect(await client.request({ op: "trap", end: "L1[1]", trap: 131 })).toEqual({ sent: true });
  });

  it("links get faults, which are listed until they are cleared", async () => {
    const none = { lossPercent: 0, delayMs: 0, jitterMs: 0, duplicatePercent: 0, reorderPercent: 0 };
    await client.request({ op: "fault", action: "set", delayMs: 1 });
    expect(await client.request({ op: "fault", action: "set", end: "H2", lossPercent: 5 })).toEqual({
      faults: [
        { ...none, delayMs: 1 },
        { ...none, end: "H2[1]", lossPercent: 5 },
      ],
    });
    await client.request({ op: "fault", action: "set", end: "H2", lossPercent: 5, traffic: "data" });
    expect(await client.request({ op: "fault", action: "list" })).toMatchObject({ faults: [{}, { traffic: "data" }] });
    await client.request({ op: "fault", action: "clear", end: "H2" });
    expect(await client.request({ op: "fault", action: "list" })).toEqual({ faults: [{ ...none, delayMs: 1 }] });
    expect(await client.request({ op: "fault", action: "clear" })).toEqual({ faults: [] });
    expect(await rejectionOf(client.request({ op: "fault", action: "set", lossPercent: 101 }))).toMatchObject({
      code: "VERBENA_SIM_CONTROL_REQUEST",
      message: expect.stringContaining("lossPercent must be a number from 0 to 100") as string,
    });
  });

  it("links flap, nodes leave, return and reboot; answers come when the manager has followed", async () => {
    const isActive = async () => (await client.request({ op: "status" })).nodes[1]?.ports[0]?.state;
    expect(await client.request({ op: "link", action: "flap", end: "H2", downMs: 1, times: 2 })).toMatchObject({
      ports: [{ end: "H2[1]", state: "active" }],
    });
    await client.request({ op: "node", action: "remove", node: "L1" });
    expect(await isActive()).toBe("down");
    await client.request({ op: "node", action: "restore", node: "L1" });
    expect(await isActive()).toBe("active");
    expect(await client.request({ op: "node", action: "reboot", node: "L2", downMs: 1 })).toMatchObject({
      node: { id: "L2" },
    });
    expect(await client.request({ op: "routes", from: "H1", to: "H8" })).toMatchObject({ arrives: true });
    expect(await rejectionOf(client.request({ op: "link", action: "flap", end: "H2", times: 0 }))).toMatchObject({
      message: expect.stringContaining("times must be a whole number from 1 to 10000") as string,
    });
  });

  it("a route is cut in one direction until the next sweep", async () => {
    expect(await client.request({ op: "route", action: "cut", from: "H1", to: "H8" })).toMatchObject({
      arrives: false,
      reason: "no-route",
    });
    expect(await client.request({ op: "routes", from: "H8", to: "H1" })).toMatchObject({ arrives: true });
    await client.request({ op: "sm", action: "sweep" });
    expect(await client.request({ op: "routes", from: "H1", to: "H8" })).toMatchObject({ arrives: true });
    expect(await rejectionOf(client.request({ op: "route", action: "cut", from: "H1", to: "L1[0]" }))).toMatchObject({
      code: "VERBENA_SIM_PORT_UNKNOWN",
    });
  });

  it("a node gets another description", async () => {
    const request = { op: "node", action: "describe", node: "H2", text: "renamed HCA-1" } as const;
    expect(await client.request(request)).toMatchObject({ node: { id: "H2", description: "renamed HCA-1" } });
    expect((await client.request({ op: "status" })).nodes[1]).toMatchObject({ description: "renamed HCA-1" });
    expect(await rejectionOf(client.request({ ...request, text: "x".repeat(65) }))).toMatchObject({
      code: "VERBENA_SIM_CONTROL_REQUEST",
      message: expect.stringContaining("text must have at most 64 bytes") as string,
    });
    expect(await rejectionOf(client.request({ ...request, node: "H99" }))).toMatchObject({
      code: "VERBENA_SIM_NODE_UNKNOWN",
    });
  });

  it("routes go hop by hop", async () => {
    expect(await client.request({ op: "routes", from: "H1", to: "node8" })).toEqual({
      slid: 1,
      dlid: 11,
      hops: [
        { from: "H1[1]", to: "L1[1]" },
        { from: "L1[5]", to: "S1[1]" },
        { from: "S1[2]", to: "L2[5]" },
        { from: "L2[4]", to: "H8[1]" },
      ],
      arrives: true,
    });
  });

  it("change the SA, the subnet manager and LIDs", async () => {
    expect(await client.request({ op: "sa", mode: "busy", durationMs: 60_000 })).toEqual({ mode: "busy" });
    expect((await client.request({ op: "status" })).sa.mode).toBe("busy");
    expect(await client.request({ op: "sa", mode: "slow", durationMs: 60_000, delayMs: 20 })).toEqual({ mode: "slow" });
    expect(await client.request({ op: "sa", mode: "normal" })).toEqual({ mode: "normal" });
    expect(await client.request({ op: "sm", action: "reregister" })).toEqual({ lid: 1 });
    expect(await client.request({ op: "sm", action: "hand-over", end: "H2" })).toEqual({ lid: 4 });
    expect(await client.request({ op: "status" })).toMatchObject({ sm: { end: "H2[1]", lid: 4 } });
    const again = client.request({ op: "sm", action: "hand-over", end: "H2" });
    expect(await rejectionOf(again)).toMatchObject({ code: "VERBENA_SIM_SM_NODE" });
    const nowhere = client.request({ op: "sm", action: "hand-over" });
    expect(await rejectionOf(nowhere)).toMatchObject({ code: "VERBENA_SIM_CONTROL_REQUEST" });
    expect((await client.request({ op: "lid", action: "change", end: "H8" })).port).toMatchObject({
      end: "H8[1]",
      lid: 12,
    });
    expect(await client.request({ op: "counters" })).toEqual({
      sa: [],
      saUnanswered: 0,
      saBusy: 0,
      requesters: [],
      reports: { sent: 0, acknowledged: 0, unanswered: 0 },
    });
    const { text } = await client.request({ op: "topology" });
    expect(parseTopology(text).nodes).toHaveLength(11);
  });

  it("of one connection are answered in order, also when glued and split", async () => {
    const socket = connect(join(fabric.dir, "control.sock"));
    socket.setEncoding("utf8");
    let answers = "";
    const done = new Promise<void>((settle) => {
      socket.on("data", (chunk: string) => {
        answers += chunk;
        if (answers.split("\n").length === 4) settle();
      });
    });
    await once(socket, "connect");
    socket.write('{"op":"link","action":"down","end":"H2"}\n{"op":"sa","mode":"silent"}\n{"op":"st');
    socket.write('atus"}\n');
    await done;
    const [first, second, third] = answers
      .split("\n")
      .slice(0, 3)
      .map((line) => JSON.parse(line) as { result: object });
    expect(first?.result).toHaveProperty("ports");
    expect(second?.result).toEqual({ mode: "silent" });
    expect(third?.result).toMatchObject({ counts: { linksDown: 1 }, sa: { mode: "silent" } });
    socket.destroy();
  });

  it("of a client that has gone are not begun: no stream is left without a reader", async () => {
    const socket = connect(join(fabric.dir, "control.sock"));
    await once(socket, "connect");
    const mad = "01030281000000000000000000000000003500000000000000";
    const waiting = { op: "send", from: "H2", to: "0xbff0", mad, waitMs: 100 } as const;
    socket.write(`${JSON.stringify(waiting)}\n{"op":"events","watch":true}\n`);
    socket.end();
    // A later wait of the same length ends after that one.
    await client.request(waiting);
    await client.request({ op: "link", action: "down", end: "H2" });
    expect(await client.request({ op: "events" })).toEqual({ seq: 0 });
  });

  it.each([
    [{ op: "stauts" }, "VERBENA_SIM_CONTROL_REQUEST", 'unknown op "stauts"', "Did you mean status?"],
    [{ op: "link", action: "left", end: "H1" }, "VERBENA_SIM_CONTROL_REQUEST", "action must be one of up, down", ""],
    [{ op: "link", action: "up" }, "VERBENA_SIM_CONTROL_REQUEST", "end must be a text", ""],
    [
      { op: "sa", mode: "busy", duration: 5 },
      "VERBENA_SIM_CONTROL_REQUEST",
      "unknown member duration",
      "Did you mean durationMs?",
    ],
    [{ op: "sa", mode: "busy", durationMs: -5 }, "VERBENA_SIM_CONTROL_REQUEST", "durationMs must be", ""],
    [{ op: "link", action: "up", end: "H99" }, "VERBENA_SIM_NODE_UNKNOWN", 'no node "H99"', "status"],
    [{ op: "link", action: "up", end: "H1[2]" }, "VERBENA_SIM_PORT_UNKNOWN", "ports 1 to 1", "NODE[PORT]"],
    [{ op: "routes", from: "L1", to: "H2" }, "VERBENA_SIM_PORT_UNKNOWN", "several connected ports", ""],
    [{ op: "lid", action: "change", end: "L1[1]" }, "VERBENA_SIM_PORT_UNKNOWN", "no LID of its own", ""],
    [{ op: "addr", action: "add", address: "10.0.0.9/24" }, "VERBENA_SIM_CONTROL_REQUEST", "node must be given", ""],
    [
      { op: "addr", action: "add", node: "L1[1]", address: "10.0.0.9/24" },
      "VERBENA_SIM_PORT_UNKNOWN",
      "only HCA ports",
      "",
    ],
    [
      { op: "addr", action: "add", node: "H2", address: "10.0.0.1/24" },
      "VERBENA_SIM_ADDRESS_DUPLICATE",
      "already on H1[1]",
      "",
    ],
    [{ op: "addr", action: "del", address: "10.0.0.77" }, "VERBENA_SIM_ADDRESS_UNKNOWN", "10.0.0.77", ""],
    [
      { op: "addr", action: "del", node: "H2", address: "10.0.0.1" },
      "VERBENA_SIM_ADDRESS_UNKNOWN",
      "10.0.0.1 on H2",
      "",
    ],
    [{ op: "addresses", node: "L1" }, "VERBENA_SIM_NODE_UNKNOWN", 'no node "L1"', ""],
  ])("%j is refused", async (request, code, problem, hint) => {
    const error = await rejectionOf(client.request(request as ControlRequest));
    expect(error.code).toBe(code);
    expect(error.message).toContain(problem);
    expect(error.hint).toContain(hint);
    expect((await client.request({ op: "status" })).protocol).toBe(1);
  });

  it("that are no JSON, of another version or too long are refused as well", async () => {
    const socket = connect(join(fabric.dir, "control.sock"));
    socket.setEncoding("utf8");
    let answers = "";
    socket.on("data", (chunk: string) => {
      answers += chunk;
    });
    socket.write('nonsense\n[]\n{"v":9,"op":"status"}\n');
    socket.write("x".repeat(70_000));
    await once(socket, "close");
    const codes = answers
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { code: string }).code);
    expect(codes).toEqual([
      "VERBENA_SIM_CONTROL_REQUEST",
      "VERBENA_SIM_CONTROL_REQUEST",
      "VERBENA_SIM_CONTROL_VERSION",
      "VERBENA_SIM_CONTROL_REQUEST",
    ]);
  });

  it("reject when the fabric ends, and when there is none", async () => {
    const open = rejectionOf(
      client
        .request({ op: "status" })
        .then(() => client.request({ op: "status" }))
        .then(() => fabric.close())
        .then(() => client.request({ op: "status" })),
    );
    expect((await open).code).toBe("VERBENA_SIM_CONTROL_CLOSED");
    expect((await rejectionOf(SimControlClient.connect(fabric.dir))).code).toBe("VERBENA_SIM_CONTROL_CONNECT");
  });
});

describe("addresses", () => {
  const watchUntil = async (
    watch: AsyncGenerator<AddressMessage | SyncedMessage, void, undefined>,
    count: number,
  ): Promise<string[]> => {
    const seen: string[] = [];
    while (seen.length < count) {
      const { value, done } = await watch.next();
      if (done) break;
      const message = value;
      seen.push(
        message.type === "synced"
          ? "synced"
          : `${message.event} ${message.node} ${message.device} ${message.address}/${message.prefixLength}`,
      );
    }
    return seen;
  };

  it("are those of the file, with what a program needs", async () => {
    const { addresses } = await client.request({ op: "addresses", node: "H2" });
    expect(addresses).toEqual([
      {
        type: "address",
        event: "add",
        node: "H2",
        device: "sim0",
        port: 1,
        portGuid: "0x0002c90300100011",
        gid: "fe80::2:c903:10:11",
        address: "fd00::2",
        prefixLength: 64,
        pkey: "0xffff",
      },
    ]);
    expect((await client.request({ op: "addresses" })).addresses.map((one) => one.device)).toEqual([
      "sim0",
      "sim1",
      "sim2",
    ]);
  });

  it("can be watched: the list, synced, then every change on the watched nodes", async () => {
    const watch = SimControlClient.watchAddresses(fabric.dir, { node: "H3,H1" });
    expect(await watchUntil(watch, 3)).toEqual(["add H1 sim1 10.0.0.1/24", "add H3 sim0 10.0.0.3/24", "synced"]);
    await client.request({ op: "addr", action: "add", node: "H2", address: "10.0.0.2/24" });
    await client.request({ op: "addr", action: "add", node: "H1", address: "10.0.1.1/16" });
    expect(await client.request({ op: "addr", action: "move", node: "H2", address: "10.0.0.1" })).toMatchObject({
      addresses: [
        { event: "del", node: "H1", address: "10.0.0.1" },
        { event: "add", node: "H2", address: "10.0.0.1", prefixLength: 24 },
      ],
    });
    await client.request({ op: "addr", action: "move", node: "H3", address: "10.0.0.1/8" });
    await client.request({ op: "addr", action: "del", address: "10.0.0.3" });
    expect(await watchUntil(watch, 4)).toEqual([
      "add H1 sim1 10.0.1.1/16",
      "del H1 sim1 10.0.0.1/24",
      "add H3 sim0 10.0.0.1/8",
      "del H3 sim0 10.0.0.3/24",
    ]);
    await watch.return();
  });

  it("stop when aborted, and end with the fabric", async () => {
    const abort = new AbortController();
    const aborted = SimControlClient.watchAddresses(fabric.dir, { node: "H4", signal: abort.signal });
    expect(await watchUntil(aborted, 1)).toEqual(["synced"]);
    const next = aborted.next();
    abort.abort();
    expect((await next).done).toBe(true);
    const ended = SimControlClient.watchAddresses(fabric.dir, { node: "H4" });
    expect(await watchUntil(ended, 1)).toEqual(["synced"]);
    const last = ended.next();
    await fabric.close();
    expect((await last).done).toBe(true);
    const unknown = await rejectionOf(SimControlClient.watchAddresses(fabric.dir, { node: "H4" }).next());
    expect(unknown.code).toBe("VERBENA_SIM_CONTROL_CONNECT");
  });

  it("of an unknown node cannot be watched", async () => {
    const error = await rejectionOf(SimControlClient.watchAddresses(fabric.dir, { node: "nobody" }).next());
    expect(error.code).toBe("VERBENA_SIM_NODE_UNKNOWN");
  });
});

describe("trace", () => {
  it("streams what the selection lets through, from `synced` on", async () => {
    const stream = SimControlClient.trace(fabric.dir, { events: ["send"] });
    expect(await stream.next()).toEqual({ done: false, value: { type: "synced" } });
    await client.request({ op: "node", action: "describe", node: "H2", text: "other" });
    await stream.return();
    expect(await client.request({ op: "status" })).toMatchObject({ protocol: 1 });
  });

  it("refuses what it does not know", async () => {
    for (const selection of [{ node: "H99" }, { class: "SMM" }, { events: [] }, { port: -1 }]) {
      const stream = SimControlClient.trace(fabric.dir, selection);
      expect((await rejectionOf(stream.next())).code).toMatch(/^VERBENA_SIM_(NODE_UNKNOWN|CONTROL_REQUEST)$/);
    }
  });

  it("ends with its signal and with the fabric", async () => {
    const controller = new AbortController();
    const aborted = SimControlClient.trace(fabric.dir, { signal: controller.signal });
    const open = SimControlClient.trace(fabric.dir);
    await aborted.next();
    await open.next();
    controller.abort();
    expect((await aborted.next()).done).toBe(true);
    await fabric.close();
    expect((await open.next()).done).toBe(true);
  });

  it("loses packets for a reader that does not read, says how many, and the fabric goes on", async () => {
    const stream = SimControlClient.trace(fabric.dir);
    await stream.next();
    // 8 KB each, twice as hexadecimal, sent, forwarded and dropped: more than the sockets and the backlog hold.
    const packet = "00".repeat(8000);
    for (let count = 0; count < 200; count++) await client.request({ op: "send", from: "H2", packet });
    let [seen, lost] = [0, 0];
    while (lost === 0) {
      const { value } = await stream.next();
      if (value?.type === "packet") seen += 1;
      if (value?.type === "lost") lost = value.count;
    }
    expect(seen).toBeGreaterThan(50);
    expect(seen + lost).toBe(600);
    await stream.return();
  });
});

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  libfabricsimPath,
  type RunningFabric,
  SimControlClient,
  startFabricThread,
  twoLevel,
} from "@verbena/fabric-sim";
import {
  decodeNodeRecord,
  decodePathRecord,
  decodeSaMad,
  emptyPathRecord,
  encodePathRecord,
  encodeSaMad,
  MadMethod,
  NODE_RECORD_SIZE,
  type PathRecord,
  PKey,
  pathRecordMask,
  SaAttribute,
  saTableRecords,
} from "@verbena/ib";
import { type NativeServices, openNative, type UmadAgent, type UmadPort } from "../src/index.js";
import { take } from "./support.js";

jest.setTimeout(60_000);

// Every line of the addon on the simulated fabric, which runs in a thread of its own.
const HOSTS = 64;
const SA = { mgmtClass: 3, classVersion: 1, rmppVersion: 1 } as const;

let dir: string;
let fabric: RunningFabric;
let control: SimControlClient;
let native: NativeServices;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "verbena-native-"));
  const addressesFile = join(dir, "addresses");
  writeFileSync(addressesFile, "H1 10.0.0.1/24\nH1 2001:db8::1/64 0x8001\nH2 10.0.0.2/24\n");
  const topology = twoLevel({ hosts: HOSTS, pkeys: [PKey.DEFAULT, PKey.parse("0x8001")] });
  fabric = await startFabricThread({ topology, dir: join(dir, "fabric"), addressesFile });
  control = await SimControlClient.connect(fabric.dir);
  // A process joins one fabric for life, and jest's processes run many files: a copy of the library is one that nobody has used.
  const library = join(dir, "libfabricsim.so");
  copyFileSync(libfabricsimPath(), library);
  native = openNative({ fabric: { dir: fabric.dir, node: "H1", library } });
});

afterAll(async () => {
  await native.close();
  await control.close();
  await fabric.close();
  rmSync(dir, { recursive: true });
});

test("availability names the simulator's library", () => {
  const library = { available: true, path: join(dir, "libfabricsim.so") };
  expect(native.availability()).toMatchObject({ verbs: library, umad: library });
});

test("libibumad and libibverbs tell the same of sim0", async () => {
  const [info, ...others] = native.umad.listPorts();
  expect(others).toEqual([]);
  expect(info).toMatchObject({ device: "sim0", port: 1, portCount: 1, state: "active", linkLayer: "InfiniBand" });
  await using context = native.verbs.open("sim0");
  const port = context.queryPort(1);
  expect(native.verbs.devices()).toEqual([{ name: "sim0", nodeGuid: info?.nodeGuid, nodeType: "ca", transport: "ib" }]);
  expect(port).toMatchObject({
    state: "active",
    lid: info?.lid,
    lmc: info?.lmc,
    smLid: info?.smLid,
    smSl: info?.smSl,
    capabilityMask: info?.capabilityMask,
    linkLayer: "infiniband",
  });
  expect(context.gids(1)).toEqual([((info?.gidPrefix ?? 0n) << 64n) | (info?.portGuid ?? 0n)]);
  expect(context.pkeys(1)[0]).toBe(0xffff);
  expect(context.queryDevice()).toMatchObject({ nodeGuid: info?.nodeGuid, portCount: 1 });
});

describe("the subnet administrator", () => {
  let port: UmadPort;
  let agent: UmadAgent;
  let tid = 1n;
  beforeEach(() => {
    port = native.umad.openPort("sim0", 1);
    agent = port.registerAgent(SA);
  });
  afterEach(() => port.close());

  function send(fields: Omit<Parameters<typeof encodeSaMad>[0], "tid">, timeoutMs = 5000): bigint {
    const to = { lid: native.umad.listPorts()[0]!.smLid, qpn: 1 };
    agent.send(encodeSaMad({ ...fields, tid: ++tid }), { to, timeoutMs, retries: 0 });
    return tid;
  }

  const path = (wanted: Partial<PathRecord>, timeoutMs?: number): bigint =>
    send(
      {
        method: MadMethod.GET,
        attributeId: SaAttribute.PATH_RECORD,
        componentMask: pathRecordMask(wanted),
        record: encodePathRecord(emptyPathRecord(wanted)),
      },
      timeoutMs,
    );

  test("gives the path to itself", async () => {
    const own = native.umad.listPorts()[0]!;
    const sent = path({ slid: own.lid, dlid: own.lid });
    const [answer] = await take(agent.messages(), 1);
    const mad = decodeSaMad(answer!.mad);
    expect(mad).toMatchObject({ method: MadMethod.GET_RESP, status: 0 });
    expect(mad.tid & 0xffff_ffffn).toBe(sent);
    expect(decodePathRecord(mad.data)).toMatchObject({ slid: own.lid, dlid: own.lid, pkey: 0xffff });
    expect(answer?.from.lid).toBe(own.smLid);
  });

  test("gives the table of all nodes, reassembled", async () => {
    send({ method: MadMethod.GET_TABLE, attributeId: SaAttribute.NODE_RECORD });
    const [answer] = await take(agent.messages(), 1);
    const records = saTableRecords(answer!.mad).map((record) => decodeNodeRecord(record));
    const hosts = records.filter((record) => record.nodeDescription.includes("HCA"));
    expect(hosts.length).toBe(HOSTS);
    expect(answer!.mad.length).toBeGreaterThan(HOSTS * NODE_RECORD_SIZE);
  });

  test("two hundred requests at once, each answered", async () => {
    const own = native.umad.listPorts()[0]!;
    const sent = new Set(Array.from({ length: 200 }, () => path({ slid: own.lid, dlid: own.lid })));
    for (const answer of await take(agent.messages(), 200)) sent.delete(decodeSaMad(answer.mad).tid & 0xffff_ffffn);
    expect(sent.size).toBe(0);
  });

  test("silence is status 110 after the time-out", async () => {
    const own = native.umad.listPorts()[0]!;
    await control.request({ op: "sa", mode: "silent" });
    const sent = path({ slid: own.lid, dlid: own.lid }, 50);
    const [answer] = await take(agent.messages(), 1);
    await control.request({ op: "sa", mode: "normal" });
    expect(answer?.status).toBe(110);
    expect(answer?.mad.readUInt32BE(12)).toBe(Number(sent));
  });
});

test("the own link goes down and up: events, and the state that belongs to them", async () => {
  await using context = native.verbs.open("sim0");
  const events = context.events();
  await control.request({ op: "link", action: "down", end: "H1" });
  expect(await take(events, 1)).toEqual([{ type: "port-err", port: 1 }]);
  expect(context.queryPort(1).state).toBe("down");
  expect(native.umad.queryPort("sim0", 1)?.state).toBe("down");
  await control.request({ op: "link", action: "up", end: "H1" });
  for (;;) {
    const [event] = await take(events, 1);
    if (event?.type === "port-active") break;
  }
  expect(context.queryPort(1).state).toBe("active");
});

test("the node's addresses, and how they change", async () => {
  await using source = native.openAddressSource();
  const events = source.events();
  await using context = native.verbs.open("sim0");
  const gid = context.gids(1)[0];
  const v4 = { address: "10.0.0.1", prefixLength: 24, gid, pkey: 0xffff };
  const v6 = { address: "2001:db8::1", prefixLength: 64, gid, pkey: 0x8001 };
  const listed = await take(events, 3);
  expect(listed).toContainEqual({ type: "added", address: v4 });
  expect(listed).toContainEqual({ type: "added", address: v6 });
  expect(listed[2]).toEqual({ type: "synced" });
  await control.request({ op: "addr", action: "move", address: "10.0.0.1", node: "H2" });
  expect(await take(events, 1)).toEqual([{ type: "removed", address: v4 }]);
  await control.request({ op: "addr", action: "add", address: "10.0.0.9/24", node: "H1" });
  expect(await take(events, 1)).toEqual([{ type: "added", address: { ...v4, address: "10.0.0.9" } }]);
});

test("a second set of nodes in one process is refused with the reason", () => {
  const library = join(dir, "libfabricsim.so");
  const other = openNative({ fabric: { dir: fabric.dir, node: "H2", library } });
  expect(() => other.umad.listPorts()).toThrow(
    expect.objectContaining({
      code: "VERBENA_NATIVE_FABRIC",
      errno: 16,
      syscall: "fabricsim_attach",
      hint: "A process is on one fabric, as one set of nodes, for all its life; start another process for another node.",
    }),
  );
});

test("a node that the fabric does not have", () => {
  const library = join(dir, "other-libfabricsim.so");
  copyFileSync(libfabricsimPath(), library);
  const nowhere = openNative({ fabric: { dir: fabric.dir, node: "H99", library } });
  expect(() => nowhere.umad.listPorts()).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_FABRIC", errno: 19 }));
  expect(nowhere.availability().umad).toMatchObject({
    available: false,
    hint: `Start it with 'verbena sim run TOPOLOGY --dir ${fabric.dir}' and choose a node that 'verbena sim ctl --dir ${fabric.dir} status' lists.`,
  });
});

test("a fabric that ends: readers fail or hear of it, and everything can be closed", async () => {
  const short = await startFabricThread({ topology: twoLevel({ hosts: 2 }), dir: join(dir, "short") });
  const library = join(dir, "short-libfabricsim.so");
  copyFileSync(libfabricsimPath(), library);
  await using lost = openNative({ fabric: { dir: short.dir, node: "H1", library } });
  const context = lost.verbs.open("sim0");
  const source = lost.openAddressSource();
  const messages = lost.umad.openPort("sim0", 1).registerAgent(SA).messages();
  const addresses = source.events();
  expect(await take(addresses, 1)).toEqual([{ type: "synced" }]);
  const events = context.events();
  const [failed] = await Promise.allSettled([messages.next(), short.close()]);
  expect(failed).toMatchObject({
    status: "rejected",
    reason: { code: "VERBENA_NATIVE_RECEIVE", syscall: "umad_recv" },
  });
  expect(await take(events, 1)).toEqual([{ type: "device-fatal" }]);
  expect(await take(addresses, 1)).toEqual([{ type: "reset" }]);
});

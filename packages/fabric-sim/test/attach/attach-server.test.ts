import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PKey } from "@verbena/ib";
import { AttachServer } from "../../src/attach/attach-server.js";
import { FakeHost } from "./fake-host.js";
import { hasLinkedPrograms, Program } from "./programs.js";

jest.setTimeout(180_000);

const TABLE_BYTES = 2 * 1024 * 1024 + 17;
/** Offset of the MAD in a packet without GRH. */
const MAD = 28;

describe.each(hasLinkedPrograms() ? ["loaded", "preloaded"] : ["loaded"])("libfabricsim.so, %s", (how) => {
  let directory: string;
  let host: FakeHost;
  let server: AttachServer;
  let programs: Program[];
  const start = (name: string, args: readonly string[], node = "H1") => {
    const program = new Program(name, args, { directory, node, linked: how === "preloaded" });
    programs.push(program);
    return program;
  };
  const [hca1, hca2] = [() => host.hcas()[0], () => host.hcas()[1]];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "attach-"));
    host = new FakeHost();
    programs = [];
    server = await AttachServer.listen({ host, directory });
  });

  afterEach(async () => {
    await Promise.all(programs.map((program) => program.kill()));
    await server.close();
    rmSync(directory, { recursive: true });
  });

  it("leaves nothing behind when it closes", async () => {
    const program = start("umad-peer", ["serve"]);
    expect(await program.line()).toBe("ready");
    expect(readdirSync(directory).sort()).toEqual(["fabric.sock", "state-0"]);
    await server.close();
    expect(host.subscriptions).toBe(0);
    expect(readdirSync(directory)).toEqual([]);
  });

  it("shows devices and ports", async () => {
    const program = start("fabric-probe", ["info"], "H2,H1");
    expect(await program.rest()).toEqual([
      "ca sim0 ports 1 guid 0002c90300000100 system 0002c903000001ff",
      "port 1 lid 2 lmc 0 sm 1 state 4 phys 5 rate 100 cap 02510868 prefix fe80000000000000 guid 0002c90300000101 InfiniBand ffff 8001",
      "ca sim1 ports 1 guid 0002c90300000000 system 0002c903000000ff",
      "port 1 lid 1 lmc 0 sm 1 state 4 phys 5 rate 100 cap 02510868 prefix fe80000000000000 guid 0002c90300000001 InfiniBand ffff 8001",
      "portguids 2",
      "verbs sim0 ports 1 vendor 0002c9 part 4123",
      "port 1 state 4 mtu 5/4 lid 2 sm 1 width 2 speed 32 layer 1 gids 1 pkeys 2",
      "pkey ffff index 0",
    ]);
  });

  it("exchanges MADs, tables and time-outs", async () => {
    const answering = start("umad-peer", ["serve"], "node2 HCA-1");
    expect(await answering.line()).toBe("ready");
    expect(await start("umad-peer", ["ask", "2", String(TABLE_BYTES)]).rest()).toEqual(["ok"]);
    answering.endInput();
    // One try and two retries reached the server.
    expect(await answering.rest()).toEqual(["unanswered 3"]);
  });

  it("serves many threads at once", async () => {
    const answering = start("umad-peer", ["serve"], "H2");
    expect(await answering.line()).toBe("ready");
    expect(await start("umad-threads", ["2"]).rest()).toEqual(["ok"]);
  });

  it("repeats segments and acknowledgements that the wire loses", async () => {
    // A segment in the middle of a window, and an acknowledgement. Each costs the two seconds that the sender waits.
    const lost: string[] = [];
    host.loses = (packet) => {
      const isControl = packet.readUInt8(MAD + 25) === 2;
      const segment = packet.readUInt32BE(MAD + 28);
      const name = `${packet.readUInt8(MAD + 3)} ${isControl ? "ack" : "data"} ${segment}`;
      if (!["146 data 30", "18 ack 129"].includes(name) || lost.includes(name)) return false;
      lost.push(name);
      return true;
    };
    const answering = start("umad-peer", ["serve"], "H2");
    expect(await answering.line()).toBe("ready");
    expect(await start("umad-peer", ["ask", "2", "50001"]).rest()).toEqual(["ok"]);
    expect(lost).toEqual(["146 data 30", "18 ack 129"]);
    answering.endInput();
    expect(await answering.rest()).toEqual(["unanswered 3"]);
  });

  it("registers agents by the kernel's rules", async () => {
    // -1 is EPERM, then the errno that tells the reason.
    expect(await start("fabric-probe", ["registry"]).rest()).toEqual([
      "first 0",
      "same method -1022",
      "other method 0",
      "other version 1",
      "sends only 2",
      "rmpp without header -1022",
      "rmpp version 2 -1022",
      "no port -1009",
      "too many -1012",
      "after close 3",
    ]);
  });

  it("keeps methods apart between programs and frees them when one dies", async () => {
    const first = start("umad-peer", ["serve"]);
    expect(await first.line()).toBe("ready");
    expect(server.programs()).toMatchObject([{ hcas: ["H1"], openPorts: 1, agents: 1 }]);
    expect(await start("umad-peer", ["serve"]).line()).toMatch(/^ended: .*agent >= 0/s);
    await first.kill();
    const third = start("umad-peer", ["serve"]);
    expect(await third.line()).toBe("ready");
    third.endInput();
    await third.rest();
  });

  it("gives nothing to a child forked from an open program", async () => {
    expect(await start("fabric-probe", ["fork"]).rest()).toEqual([
      "child opens yes",
      "child opens no",
      "parent registers 0",
    ]);
  });

  it("announces changes as asynchronous events, with the new state visible", async () => {
    const program = start("fabric-probe", ["events"], "H2");
    expect(await program.line()).toBe("ready");
    const hca = hca2();
    const port = hca?.ports[0];
    if (hca === undefined || port === undefined) throw new Error("no H2");
    port.state = 1;
    host.emit(hca, { type: "state" });
    host.emit(hca, { type: "async-event", event: "port-err", portNumber: 1 });
    expect(await program.line()).toBe("port error 1 state 1 lid 2 error 0");
    port.state = 4;
    port.pkeys = [PKey.from(0xffff), PKey.from(0)];
    host.emit(hca, { type: "state" });
    host.emit(hca, { type: "async-event", event: "port-active", portNumber: 1 });
    host.emit(hca, { type: "async-event", event: "client-reregister", portNumber: 1 });
    expect(await program.line()).toBe("port active 1 state 4 lid 2 error 0");
    expect(await program.line()).toBe("client reregistration 1 state 4 lid 2 error 0");
    const other = hca1();
    if (other === undefined) throw new Error("no H1");
    host.emit(other, { type: "async-event", event: "port-err", portNumber: 1 });
    host.emit(hca, { type: "async-event", event: "gid-change", portNumber: 1 });
    expect(await program.line()).toBe("GID table change 1 state 4 lid 2 error 0");
    program.endInput();
    expect(await program.rest()).toEqual([]);
  });

  it("wakes a waiting program when the fabric goes away", async () => {
    const program = start("fabric-probe", ["lost"]);
    expect(await program.line()).toBe("ready");
    await server.close();
    // EIO from the receive, EPERM for EIO from the registration, ENODEV from the open.
    expect(await program.rest()).toEqual(["receive -5", "register -1005", "open -19"]);
  });

  it("attaches again when a fabric is back, beside handles of the one that went", async () => {
    const program = start("fabric-probe", ["back"]);
    expect(await program.line()).toBe("ready");
    await server.close();
    expect([await program.line(), await program.line()]).toEqual(["receive -5", "local catastrophic error"]);
    server = await AttachServer.listen({ host, directory });
    program.endInput();
    expect(await program.rest()).toEqual([
      "1 devices",
      "query 0, was 5",
      "old -1005",
      "new 0",
      // EINVAL: the registration of the new port is still there after the old one was closed.
      "taken -1022",
    ]);
  });

  it("attaches by call", async () => {
    // Negative: an errno value; 22 EINVAL, 19 ENODEV, 2 ENOENT, 16 EBUSY.
    expect(await start("fabric-probe", ["attach"]).rest()).toEqual([
      "without environment: 0 devices, umad -1",
      "nothing 22",
      "nobody 19",
      "nowhere 2",
      "refused: -2 devices",
      "H1,H2 0",
      "again 0",
      "elsewhere 16",
      "attached: 2 devices, umad 0",
    ]);
  });

  it("refuses a node that is not there, in words", async () => {
    expect(await start("fabric-probe", ["registry"], "H9").line()).toMatch(
      /^ended: fabricsim: the fabric has no HCA named "H9"\n/,
    );
  });

  if (how === "preloaded") {
    it("sets IsSM while the issm file is open, for one program at a time", async () => {
      const first = start("fabric-probe", ["issm"]);
      expect(await first.line()).toBe("issm held");
      expect(host.issmCalls).toEqual(["H1 1 on"]);
      expect(await start("fabric-probe", ["issm"]).rest()).toEqual(["issm taken"]);
      first.endInput();
      expect(await first.rest()).toEqual(["closed"]);
      const second = start("fabric-probe", ["issm"]);
      expect(await second.line()).toBe("issm held");
      await second.kill();
      const third = start("fabric-probe", ["issm"]);
      expect(await third.line()).toBe("issm held");
      expect(host.issmCalls).toEqual(["H1 1 on", "H1 1 off", "H1 1 on", "H1 1 off", "H1 1 on"]);
      third.endInput();
      await third.rest();
    });
  }
});

/** Debian's OpenSM manages our fabric; what it and the diagnostics print is what the topology says. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { AcmClient } from "@verbena/core/client";
import {
  type FabricStatus,
  fatTree,
  libfabricsimPath,
  parseTopology,
  type Topology,
  twoLevel,
} from "@verbena/fabric-sim";
import { Gid, Guid } from "@verbena/ib";
import { printed } from "./ibsim.js";
import { OpenSm } from "./opensm.js";
import { fields, missing, records, recordTexts, runOnNode } from "./sim-programs.js";
import { Unmanaged } from "./unmanaged.js";

const VERBENA = join(__dirname, "../../packages/cli/bin/verbena.js");
const reason = missing("opensm", "ibnetdiscover", "iblinkinfo", "ibqueryerrors", "smpquery", "saquery", "sminfo");
const suite = reason === undefined ? describe : describe.skip;
const title = (text: string) => `${text}${reason === undefined ? "" : `: ${reason}`}`;

jest.setTimeout(300_000);

/** What is known of each node by its GUID: description and the ends of its cables. */
function shape({ nodes }: Topology): unknown {
  const guids = new Map(nodes.map((node) => [node.id, node.nodeGuid]));
  return nodes
    .map((node) => ({
      guid: node.nodeGuid,
      description: node.description,
      cables: node.ports
        .filter((port) => port.number > 0)
        .map(({ remote }) => (remote === undefined ? undefined : `${String(guids.get(remote.node))}[${remote.port}]`)),
    }))
    .sort((a, b) => (a.guid < b.guid ? -1 : 1));
}

/** States of all cabled ports, each once. */
function states({ nodes }: FabricStatus): readonly string[] {
  return [...new Set(nodes.flatMap(({ ports }) => ports.map(({ state }) => state)))].sort();
}

suite(title("OpenSM on 100 hosts and 5 switches"), () => {
  const topology = fatTree({ hosts: 100, leafs: 4, spines: 1, rate: "4xHDR" });
  let net: Unmanaged;
  let opensm: OpenSm;

  beforeAll(async () => {
    net = await Unmanaged.start(topology);
    const before = await net.status();
    expect([before.management, before.sm, states(before)]).toEqual([
      "opensm",
      { end: "", lid: 0, guid: "0x0000000000000000" },
      ["init"],
    ]);
    opensm = await OpenSm.up({ fabric: net.dir, node: "H1" });
  });

  afterAll(async () => {
    await opensm.stop();
    await net.stop();
  });

  it("brings every port up and gives every end port a LID of its own", async () => {
    const status = await net.status();
    expect(states(status)).toEqual(["active"]);
    expect(status.sm.end).toBe("H1[1]");
    const lids = status.nodes.map(({ ports }) => ports[0]?.lid);
    expect(new Set(lids).size).toBe(105);
    expect(lids).not.toContain(0);
  });

  it("ibnetdiscover and iblinkinfo print the topology", async () => {
    const found = await runOnNode(net.dir, "H7", "ibnetdiscover");
    expect({ status: found.status, stderr: found.stderr }).toEqual({ status: 0, stderr: "" });
    expect(shape(parseTopology(found.stdout))).toEqual(shape(topology));
    const { stdout } = await runOnNode(net.dir, "H7", "iblinkinfo");
    const ends = topology.nodes.flatMap(({ ports }) => ports).filter(({ remote }) => remote !== undefined).length;
    expect(stdout.match(/4X +53\.125 Gbps Active\/ +LinkUp/g)).toHaveLength(ends);
  });

  it("sminfo and smpquery name the manager and the nodes", async () => {
    expect((await runOnNode(net.dir, "H7", "sminfo")).stdout).toMatch(/priority 0 state 3 SMINFO_MASTER/);
    const description = await runOnNode(net.dir, "H7", "smpquery", "nodedesc", await net.lidText("H100"));
    expect(description.stdout).toMatch(/node100 HCA-1/);
    const info = await runOnNode(net.dir, "H7", "smpquery", "portinfo", await net.lidText("H42"), "1");
    expect(info.stdout).toMatch(/SMLid:\.+1$/m);
    expect(info.stdout).toMatch(/LinkState:\.+Active$/m);
  });

  it("ibqueryerrors finds no errors, and perfquery what a port has sent", async () => {
    const errors = await runOnNode(net.dir, "H7", "ibqueryerrors");
    expect(errors.stdout).toMatch(/105 nodes checked, 0 bad nodes found/);
    const lid = await net.lidText("H50");
    const packets = async (...options: readonly string[]) => {
      const { stdout } = await runOnNode(net.dir, "H50", "perfquery", ...options, lid, "1");
      return Number(/PortXmitPkts:\.+(\d+)/.exec(stdout)?.[1]);
    };
    await packets("-R");
    expect(await packets()).toBe(0);
    await runOnNode(net.dir, "H50", "saquery", "NR", await net.lidText("H1"));
    expect(await packets()).toBeGreaterThan(0);
    expect(await packets("-x")).toBeGreaterThan(0);
  });

  it("follows a link that goes and comes, as traps tell it", async () => {
    await net.control.request({ op: "link", action: "down", end: "H100" });
    await opensm.logs("SUBNET UP");
    expect((await runOnNode(net.dir, "H7", "saquery", "NR")).stdout.match(/Record dump:/g)).toHaveLength(104);
    const { ports } = await net.control.request({ op: "link", action: "up", end: "H100" });
    expect(ports.map(({ state }) => state)).toEqual(["init"]);
    await opensm.logs("SUBNET UP");
    expect(states(await net.status())).toEqual(["active"]);
    expect((await runOnNode(net.dir, "H7", "saquery", "NR")).stdout.match(/Record dump:/g)).toHaveLength(105);
  });

  it("logs and represses the traps of links", async () => {
    for (const trap of [129, 130, 131]) {
      expect(await net.control.request({ op: "trap", end: "L1[2]", trap })).toEqual({ sent: true });
      await opensm.logs(`num:${String(trap)}`);
    }
  });

  /** What is plugged in at the ports that `saquery MFTR` has for a group in all switches, sorted. */
  const groupNeighbours = async (mlid: string) => {
    const { stdout } = await runOnNode(net.dir, "H7", "saquery", "-t", "20000", "MFTR");
    const { nodes } = await net.status();
    return recordTexts(stdout, "MFT Record")
      .flatMap((text) => {
        const { LID = "", Position = "" } = fields(text);
        const mask = Number(new RegExp(`${mlid}\\t(0x[0-9a-f]{4})`).exec(text)?.[1]);
        const node = nodes.find(({ kind, ports }) => kind === "switch" && ports[0]?.lid === Number(LID));
        return Array.from({ length: 16 }, (_, bit) => bit)
          .filter((bit) => (mask >> bit) & 1)
          .map((bit) => node?.ports.find(({ end }) => end.endsWith(`[${16 * Number(Position) + bit}]`))?.peer);
      })
      .map((end) => end?.replace(/\[\d+\]$/, ""))
      .sort();
  };

  it("multicast reaches those who joined at its SA", async () => {
    const started: ChildProcess[] = [];
    const member = async (node: string, ...words: readonly string[]) => {
      const hook = join(__dirname, "../../scripts/lib/typescript-hook.cjs");
      const args = ["--conditions=@verbena/source", "--require", hook, join(__dirname, "sim-multicast.ts"), ...words];
      const env = {
        ...process.env,
        FABRICSIM_DIR: net.dir,
        FABRICSIM_NODE: node,
        VERBENA_LIBFABRICSIM: libfabricsimPath(),
      };
      const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
      started.push(child);
      await printed(child, "joined 49152\n");
      return child;
    };
    const [near, far] = [await member("H31", "receive"), await member("H99", "receive")];
    const heard = [near, far].map((child) => printed(child, "hello from "));
    const sender = await member("H30", "send", "hello");
    await Promise.all(heard);
    expect((await net.status()).counts.multicastGroups).toBeGreaterThan(0);
    expect(await groupNeighbours("0xc000")).toEqual(["H30", "H31", "H99", "L2", "L4", "S1", "S1"]);
    sender.stdin.end();
    await Promise.all(started.filter(({ exitCode }) => exitCode === null).map((child) => once(child, "exit")));
    expect(started.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  });

  it("verbena serve gives the paths that OpenSM has", async () => {
    const socketPath = join(net.base, "s");
    const args = [VERBENA, "serve", "--fabric", net.dir, "--node", "H20", "--socket", socketPath];
    const daemon: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
    const ended = once(daemon, "exit");
    try {
      await printed(daemon, "ready");
      await using client = await AcmClient.connect({ socketPath });
      const slid = await net.lid("H20");
      for (const node of ["H1", "H21", "H100"]) {
        const dlid = await net.lid(node);
        const { path } = await client.resolvePath({ dlid });
        const { stdout } = await runOnNode(net.dir, "H20", "saquery", "--src-to-dst", `${slid}:${dlid}`);
        const [record] = records(stdout);
        expect([path.dlid, Gid.format(path.dgid), path.slid, Gid.format(path.sgid), path.sl]).toEqual([
          Number(record?.["dlid"]),
          record?.["dgid"],
          Number(record?.["slid"]),
          record?.["sgid"],
          Number(record?.["sl"]),
        ]);
      }
    } finally {
      daemon.kill();
      await ended;
    }
  });
});

suite(title("OpenSM on a fat tree of 648 ports"), () => {
  it("brings every port up", async () => {
    const net = await Unmanaged.start(fatTree({ hosts: 648, leafs: 36, spines: 18 }));
    const opensm = await OpenSm.up({ fabric: net.dir, node: "H1" });
    const status = await net.status();
    expect([status.counts.hosts, status.counts.switches, states(status)]).toEqual([648, 54, ["active"]]);
    const { stdout } = await runOnNode(net.dir, "H648", "saquery", "NR");
    expect(stdout.match(/Record dump:/g)).toHaveLength(702);
    await opensm.stop();
    await net.stop();
  });
});

suite(title("partitions of OpenSM"), () => {
  const topology = twoLevel({ hosts: 4 });
  const guid = (node: string) => Guid.format(topology.nodes.find(({ id }) => id === node)?.ports[0]?.guid ?? Guid.zero);
  let net: Unmanaged;
  let opensm: OpenSm;

  beforeAll(async () => {
    net = await Unmanaged.start(topology);
    const storage = `storage=0x0007 : ${guid("H2")}=full, ${guid("H3")}=limited, ${guid("H4")}=limited ;`;
    opensm = await OpenSm.up({
      fabric: net.dir,
      node: "H1",
      partitions: `Default=0x7fff : ALL=limited, SELF=full ;\n${storage}\n`,
    });
  });

  afterAll(async () => {
    await opensm.stop();
    await net.stop();
  });

  it.each([
    ["H1", ["0xffff"]],
    ["H2", ["0x7fff", "0x8007"]],
    ["H3", ["0x7fff", "0x0007"]],
  ])("fill the P_Key table of %s", async (node, pkeys) => {
    const { stdout } = await runOnNode(net.dir, "H1", "smpquery", "pkeys", await net.lidText(node), "1");
    expect(stdout.match(/0x[0-9a-f]{4}/g)?.filter((pkey) => pkey !== "0x0000")).toEqual(pkeys);
  });

  it("are enforced by the switch ports in front of hosts", async () => {
    const { stdout } = await runOnNode(net.dir, "H1", "smpquery", "portinfo", await net.lidText("L1"), "3");
    expect(stdout).toMatch(/PartEnforceInb:\.+1\nPartEnforceOutb:\.+1\n/);
    const table = await runOnNode(net.dir, "H1", "smpquery", "pkeys", await net.lidText("L1"), "3");
    expect(table.stdout).toMatch(/0x7fff 0x0007 0x0000/);
    const paths = (await net.control.request({ op: "paths", from: "H3" })).paths.map(({ to, pkeys }) => [to, pkeys]);
    expect(paths).toEqual([
      ["H1[1]", ["0x7fff"]],
      ["H2[1]", ["0x0007"]],
    ]);
  });

  it("give paths to a full member, and none between limited ones", async () => {
    const paths = async (from: string, to: string) => {
      const ends = `${await net.lidText(from)}:${await net.lidText(to)}`;
      return records((await runOnNode(net.dir, from, "saquery", "--src-to-dst", ends)).stdout).map(
        (one) => one["pkey"],
      );
    };
    expect(await paths("H2", "H3")).toEqual(["0x8007"]);
    expect(await paths("H1", "H3")).toEqual(["0xFFFF"]);
    expect(await paths("H3", "H4")).toEqual([]);
  });
});

suite(title("two OpenSMs"), () => {
  it("hand the fabric over when the master dies, and back to a higher priority", async () => {
    const net = await Unmanaged.start(twoLevel({ hosts: 4 }));
    const polling = ["sminfo_polling_timeout 500", "polling_retry_number 2"];
    const first = await OpenSm.up({ fabric: net.dir, node: "H1", options: ["sm_priority 5", ...polling] });
    const second = await OpenSm.standby({ fabric: net.dir, node: "H2", options: ["sm_priority 3", ...polling] });
    expect((await net.status()).sm.end).toBe("H1[1]");
    await first.stop();
    await second.logs("SUBNET UP");
    expect((await net.status()).sm.end).toBe("H2[1]");
    expect((await runOnNode(net.dir, "H4", "sminfo")).stdout).toMatch(/priority 3 state 3 SMINFO_MASTER/);
    const third = await OpenSm.up({ fabric: net.dir, node: "H3", options: ["sm_priority 7", ...polling] });
    expect((await net.status()).sm.end).toBe("H3[1]");
    await third.stop();
    await second.stop();
    await net.stop();
  });
});

/**
 * All that smpquery and saquery can ask of 100 hosts and 5 switches, under Debian's OpenSM and under the built-in manager: whole tables
 * must equal the topology and what the manager was told to make of it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type FabricStatus,
  fatTree,
  type NodeStatus,
  type RunningFabric,
  SimControlClient,
  startFabric,
  type TopologyNode,
  type TopologyPort,
} from "@verbena/fabric-sim";
import { Gid, Guid } from "@verbena/ib";
import { ibtracert } from "./ibtracert.js";
import { OpenSm } from "./opensm.js";
import { seeded } from "./seeded.js";
import { fields, missing, recordTexts, runOnNode } from "./sim-programs.js";

const reason = missing("opensm", "ibtracert", "smpquery", "saquery");
const suite = reason === undefined ? describe : describe.skip;
const SAMPLE = 25;
/** A table of an SA may be thousands of packets; the programs' own second is short for it on a busy machine. */
const PATIENCE = ["-t", "20000"] as const;
/** Quality of service as OpenSM is told to set it up, and as the tables then have it. */
const SL_TO_VL = "3,2,1,0,3,2,1,0,3,2,1,0,3,2,1,15";
const QOS = ["qos TRUE", "qos_vlarb_high 0:4,1:8", "qos_vlarb_low 0:1,1:2,2:3,3:4", `qos_sl2vl ${SL_TO_VL}`];

jest.setTimeout(300_000);

const topology = fatTree({ hosts: 100, leafs: 4, spines: 1, rate: "4xHDR" });
const ports = topology.nodes.flatMap((node) => node.ports.map((port) => ({ node, port })));
const cabled = ports.filter(({ port }) => port.remote !== undefined);
const switches = topology.nodes.filter(({ kind }) => kind === "switch");

function endPort({ ports: [first] }: TopologyNode): TopologyPort {
  if (first === undefined) throw new Error("a node without a port");
  return first;
}

function numbers(line: string): readonly number[] {
  return [...line.matchAll(/\d+/g)].map(([digits]) => Number(digits));
}

suite.each(["opensm", "builtin"] as const)(
  `tables of 100 hosts and 5 switches under %s${reason === undefined ? "" : `: ${reason}`}`,
  (management) => {
    const base = mkdtempSync(join(tmpdir(), "tab-"));
    let fabric: RunningFabric;
    let control: SimControlClient;
    let opensm: OpenSm | undefined;
    let status: FabricStatus;

    beforeAll(async () => {
      fabric = await startFabric({ topology, dir: join(base, "fabric"), sm: management });
      control = await SimControlClient.connect(fabric.dir);
      if (management === "opensm") opensm = await OpenSm.up({ fabric: fabric.dir, node: "H1", options: QOS });
      status = await control.request({ op: "status" });
    });

    afterAll(async () => {
      await opensm?.stop();
      await control.close();
      await fabric.close();
      rmSync(base, { recursive: true, force: true });
    });

    const statusOf = (id: string): NodeStatus => {
      const found = status.nodes.find((node) => node.id === id);
      if (found === undefined) throw new Error(`no node ${id}`);
      return found;
    };
    const lidOf = (id: string): number => statusOf(id).ports[0]?.lid ?? 0;

    describe("smpquery", () => {
      const ask = async (operation: string, id: string, ...parameters: readonly (number | string)[]) => {
        const words = [operation, String(lidOf(id)), ...parameters.map(String)];
        const { status: code, stdout, stderr } = await runOnNode(fabric.dir, "H7", "smpquery", ...words);
        return { code, stdout, stderr, fields: fields(stdout) };
      };

      it.each(["H1", "H42", "L1", "S1"])("nodeinfo and nodedesc of %s", async (id) => {
        const node = topology.nodes.find((one) => one.id === id);
        if (node === undefined) throw new Error(`no node ${id}`);
        expect((await ask("nodeinfo", id)).fields).toMatchObject({
          BaseVers: "1",
          ClassVers: "1",
          NodeType: node.kind === "switch" ? "Switch" : "Channel Adapter",
          NumPorts: String(node.portCount),
          SystemGuid: Guid.format(node.systemImageGuid),
          Guid: Guid.format(node.nodeGuid),
          PortGuid: Guid.format(endPort(node).guid),
          DevId: `0x${node.deviceId.toString(16)}`,
          VendorId: `0x${node.vendorId.toString(16).padStart(6, "0")}`,
        });
        expect((await ask("nodedesc", id)).fields).toEqual({ "Node Description": node.description });
      });

      it.each([
        ["H42", 1],
        ["L1", 2],
        ["S1", 4],
      ])("portinfo of %s[%i]", async (id, number) => {
        expect((await ask("portinfo", id, number)).fields).toMatchObject({
          LinkState: "Active",
          PhysLinkState: "LinkUp",
          LinkWidthActive: "4X",
          LinkSpeedExtActive: "53.125 Gbps",
          NeighborMTU: "4096",
          MtuCap: "4096",
          ...(id === "H42" ? { Lid: String(lidOf(id)), SMLid: String(status.sm.lid), LMC: "0", GuidCap: "32" } : {}),
        });
      });

      it("switchinfo of a switch, and none of a host", async () => {
        expect((await ask("switchinfo", "L1")).fields).toMatchObject({
          LinearFdbCap: "49152",
          McastFdbCap: "16383",
          ...(management === "opensm" ? { LinearFdbTop: "105" } : {}),
          StateChange: "0",
          PartEnforceCap: "64",
        });
        expect((await ask("switchinfo", "H1")).code).not.toBe(0);
      });

      it("pkeys and guidinfo", async () => {
        for (const [id, words] of [
          ["H42", ["1"]],
          ["L1", ["2"]],
        ] as const) {
          const pkeys = (await ask("pkeys", id, ...words)).stdout.match(/0x[0-9a-f]{4}/g);
          expect([pkeys?.length, pkeys?.filter((pkey) => pkey !== "0x0000")]).toEqual([64, ["0xffff"]]);
        }
        const guids = (await ask("guidinfo", "H42")).stdout.match(/0x[0-9a-f]{16}/g);
        const own = topology.nodes.find((node) => node.id === "H42")?.ports[0]?.guid ?? Guid.zero;
        expect(guids).toEqual([Guid.format(own), ...new Array<string>(31).fill(Guid.format(Guid.zero))]);
      });

      it("sl2vl and vlarb", async () => {
        // The built-in manager leaves what an agent begins with.
        const lanes = management === "opensm" ? numbers(SL_TO_VL) : [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7];
        const ofHost = (await ask("sl2vl", "H42", 1)).stdout.match(/^ports:.*$/gm)?.map(numbers);
        expect(ofHost).toEqual([[0, 0, ...lanes]]);
        const ofSwitch = (await ask("sl2vl", "L1", 3)).stdout.match(/^ports:.*$/gm)?.map(numbers);
        expect(ofSwitch).toEqual(Array.from({ length: 27 }, (_, entry) => [entry, 3, ...lanes]));
        for (const [id, port] of [
          ["H42", 1],
          ["L1", 3],
        ] as const) {
          const rows = (await ask("vlarb", id, port)).stdout.match(/^(VL {4}|WEIGHT): .*$/gm);
          const cells = rows?.map((row) => row.match(/0x[0-9A-F]+/g)?.map(Number));
          const [low, high] =
            management === "opensm"
              ? [
                  [1, 2, 3, 4],
                  [4, 8],
                ]
              : [[], []];
          const padded = (row: readonly number[]) => [...row, ...new Array<number>(8 - row.length).fill(0)];
          expect(cells).toEqual([padded([...low.keys()]), padded(low), padded([...high.keys()]), padded(high)]);
        }
      });

      it("mepi, which is Mellanox's own, and portinfoextended, which these ports do not claim", async () => {
        expect((await ask("mepi", "H42", 1)).fields).toEqual({
          StateChangeEnable: "0x00",
          LinkSpeedSupported: "0x01",
          LinkSpeedEnabled: "0x01",
          LinkSpeedActive: "0x00",
        });
        const { stdout, stderr } = await ask("portinfoextended", "H42", 1);
        expect(stdout + stderr).toMatch(/port info extended not supported/);
      });
    });

    describe("saquery", () => {
      const saquery = async (type: string, ...options: readonly string[]) => {
        const run = await runOnNode(fabric.dir, "H7", "saquery", ...PATIENCE, ...options, type);
        return { ...run, sorted: (name: string) => recordTexts(run.stdout, name).map(fields) };
      };
      /** In the same order on both sides. */
      const ordered = (all: readonly object[]) => all.map((one) => JSON.stringify(one)).sort();
      const pick = (all: readonly Readonly<Record<string, string>>[], ...names: readonly string[]) =>
        ordered(all.map((one) => Object.fromEntries(names.map((name) => [name, one[name]]))));

      it("NR is all nodes", async () => {
        const expected = topology.nodes.map((node) => ({
          lid: String(lidOf(node.id)),
          node_type: node.kind === "switch" ? "Switch" : "Channel Adapter",
          num_ports: String(node.portCount),
          sys_guid: Guid.format(node.systemImageGuid),
          node_guid: Guid.format(node.nodeGuid),
          port_guid: Guid.format(endPort(node).guid),
          NodeDescription: node.description,
        }));
        const found = (await saquery("NR")).sorted("NodeRecord");
        expect(pick(found, ...Object.keys(expected[0] ?? {}))).toEqual(ordered(expected));
      });

      it("PIR is all ports, port 0 of a switch too", async () => {
        const expected = ports.map(({ node, port }) => ({
          EndPortLid: String(lidOf(node.id)),
          PortNum: String(port.number),
          LinkState: "Active",
          LinkWidthActive: "4X",
          ...(port.number === 0 ? {} : { LinkSpeedExtActive: "53.125 Gbps" }),
          Lid: String(port.number === endPort(node).number ? lidOf(node.id) : 0),
        }));
        const found = (await saquery("PIR")).sorted("PortInfoRecord").map((one) => ({
          EndPortLid: one["EndPortLid"] ?? "",
          PortNum: one["PortNum"] ?? "",
          LinkState: one["LinkState"] ?? "",
          LinkWidthActive: one["LinkWidthActive"] ?? "",
          ...(one["PortNum"] === "0" ? {} : { LinkSpeedExtActive: one["LinkSpeedExtActive"] ?? "" }),
          Lid: one["Lid"] ?? "",
        }));
        expect(ordered(found)).toEqual(ordered(expected));
      });

      it("LR is all links, from both ends", async () => {
        const expected = cabled.map(({ node, port }) => ({
          FromLID: String(lidOf(node.id)),
          FromPort: String(port.number),
          ToPort: String(port.remote?.port),
          ToLID: String(lidOf(port.remote?.node ?? "")),
        }));
        const found = (await saquery("LR")).sorted("LinkRecord");
        expect(pick(found, "FromLID", "FromPort", "ToPort", "ToLID")).toEqual(ordered(expected));
      });

      it("PR is a path for every pair", async () => {
        const ends = topology.nodes.map((node) => ({
          isHost: node.kind === "ca",
          lid: String(lidOf(node.id)),
          gid: Gid.format(Gid.of(Gid.linkLocalPrefix, endPort(node).guid)),
        }));
        const expected = ends.flatMap((from) =>
          ends.map(
            (to) => `${from.lid} ${from.gid} ${to.lid} ${to.gid}${from.isHost && to.isHost ? " 0x85 0x91" : ""}`,
          ),
        );
        const hosts = new Set(ends.filter(({ isHost }) => isHost).map(({ lid }) => lid));
        const found = (await saquery("PR")).sorted("PathRecord").map((path) => {
          const ofHosts = hosts.has(path["slid"] ?? "") && hosts.has(path["dlid"] ?? "");
          const [slid, sgid, dlid, dgid] = [path["slid"], path["sgid"], path["dlid"], path["dgid"]];
          return `${slid} ${sgid} ${dlid} ${dgid}${ofHosts ? ` ${path["mtu"]} ${path["rate"]}` : ""}`;
        });
        expect(found.sort()).toEqual(expected.sort());
      });

      it("SWIR, SMIR and CPI are the switches, the manager and the administrator", async () => {
        const found = (await saquery("SWIR")).sorted("SwitchInfoRecord");
        expect(pick(found, "LID", "LinearFDBCap", "MulticastFDBCap")).toEqual(
          ordered(
            switches.map(({ id }) => ({ LID: String(lidOf(id)), LinearFDBCap: "0xC000", MulticastFDBCap: "0x3FFF" })),
          ),
        );
        expect((await saquery("SMIR")).sorted("SMInfoRecord")).toMatchObject([
          { LID: String(status.sm.lid), GUID: status.sm.guid, SMState: "3" },
        ]);
        const { stdout } = await saquery("CPI");
        expect(fields(stdout)).toMatchObject({ "Base version": "1", "Class version": "2" });
      });

      it("GIR and PKTR are the GUID and P_Key tables of all ports, block by block", async () => {
        const expected = topology.nodes.flatMap((node) =>
          [0, 1, 2, 3].map((block) => ({
            LID: String(lidOf(node.id)),
            Block: String(block),
            "GUID 0": Guid.format(block === 0 ? endPort(node).guid : Guid.zero),
            "GUID 7": Guid.format(Guid.zero),
          })),
        );
        const guids = (await saquery("GIR")).sorted("GUIDInfo Record");
        expect(pick(guids, "LID", "Block", "GUID 0", "GUID 7")).toEqual(ordered(expected));
        // Only trusted requests get it. 64 entries are two blocks; port 0 of a switch has few.
        const { stdout } = await saquery("PKTR", "--smkey", "1");
        const found = recordTexts(stdout, "PKeyTableRecord").map((text) => {
          const { LID, Port, Block } = fields(text);
          return [LID, Port, Block, ...(text.match(/0x[0-9a-f]{4}/g) ?? []).filter((pkey) => pkey !== "0x0000")].join(
            " ",
          );
        });
        // The built-in SA has the number of a block in network order (docs/simulator.md).
        const second = management === "opensm" ? 1 : 0x100;
        const tables = ports.flatMap(({ node, port }) =>
          [0, second].slice(0, port.number === 0 ? 1 : 2).map((block) => {
            const number = String(port.number);
            return `${lidOf(node.id)} ${number} ${block}${block === 0 ? " 0xffff" : ""}`;
          }),
        );
        expect(found.sort()).toEqual(tables.sort());
      });

      const unoffered = async (type: string) => {
        const { status: code, stdout, stderr } = await saquery(type, "--smkey", "1");
        expect([code, stdout + stderr]).toEqual([5, expect.stringContaining("not supported")]);
      };

      it("SL2VL is a table for every way through a port", async () => {
        if (management === "builtin") return unoffered("SL2VL");
        const { stdout } = await saquery("SL2VL");
        const found = recordTexts(stdout, "SL2VLTableRecord").map((text) => {
          const { LID, InPort, OutPort } = fields(text);
          return `${LID} ${InPort} ${OutPort} ${numbers(/VL: (.*)$/m.exec(text.replace(/^.*SL: .*$/m, ""))?.[1] ?? "").join()}`;
        });
        const none = numbers(SL_TO_VL)
          .map(() => 0)
          .join();
        const expected = topology.nodes.flatMap((node) => {
          if (node.kind !== "switch") return [`${lidOf(node.id)} 0 0 ${SL_TO_VL}`];
          const all = node.ports.map(({ number }) => number);
          // OpenSM does not ask for the ways to port 0, which has no lanes for data.
          return all.flatMap((entry) =>
            all.map((out) => `${lidOf(node.id)} ${entry} ${out} ${out === 0 ? none : SL_TO_VL}`),
          );
        });
        expect(found.sort()).toEqual(expected.sort());
      });

      it("VLAR is four blocks for every port", async () => {
        if (management === "builtin") return unoffered("VLAR");
        const { stdout } = await saquery("VLAR");
        const rows = { "1": ["0,1,2,3", "1,2,3,4"], "3": ["0,1,0,0", "4,8,0,0"] } as const;
        const found = recordTexts(stdout, "VLArbTableRecord").map((text) => {
          const { LID, Port, Block } = fields(text);
          const row = (name: string) =>
            numbers(new RegExp(`${name} *: (.*)$`, "m").exec(text)?.[1] ?? "")
              .slice(0, 4)
              .join();
          return `${LID} ${Port} ${Block} ${row("VL")} ${row("Weight")}`;
        });
        const expected = ports.flatMap(({ node, port }) =>
          (["1", "2", "3", "4"] as const).map((block) => {
            const has = port.number !== 0 && (block === "1" || block === "3");
            const [lanes, weights] = has ? rows[block] : ["0,0,0,0", "0,0,0,0"];
            return `${lidOf(node.id)} ${port.number} ${block} ${lanes} ${weights}`;
          }),
        );
        expect(found.sort()).toEqual(expected.sort());
      });

      it("MCMR is the broadcast group, and SR and IIR are empty before anybody has registered", async () => {
        expect((await saquery("MCMR")).sorted("MCMember Record")).toMatchObject([
          { MGID: "ff12:401b:ffff::ffff:ffff", mlid: "0xc000", pkey: "0xffff", qkey: "0xb1b" },
        ]);
        expect((await saquery("SR")).sorted("ServiceRecord")).toEqual([]);
        expect((await saquery("IIR")).sorted("InformInfoRecord")).toEqual([]);
      });

      it(`LFTR leads ${SAMPLE} pairs by lot the way that ibtracert prints and packets take`, async () => {
        const { stdout } = await saquery("LFTR");
        const blocks = recordTexts(stdout, "LFT Record");
        // LIDs 1 to 105 are in two blocks of each switch.
        expect(blocks).toHaveLength(2 * switches.length);
        const tables = new Map<string, number>();
        for (const block of blocks) {
          for (const [, lid, port] of block.matchAll(/^\t\t(\d+)\t(\d+)\s*$/gm))
            tables.set(`${fields(block)["LID"]} ${lid}`, Number(port));
        }
        const walk = (from: string, to: string) => {
          const steps: [number, string, number][] = [];
          let [node, out] = [topology.nodes.find(({ id }) => id === from), 1];
          while (node !== undefined && steps.length < 9) {
            const remote = node.ports.find(({ number }) => number === out)?.remote;
            node = topology.nodes.find(({ id }) => id === remote?.node);
            if (node === undefined || remote === undefined) break;
            const entered = node.kind === "switch" ? endPort(node) : node.ports[remote.port - 1];
            steps.push([out, Guid.format(entered?.guid ?? Guid.zero), remote.port]);
            if (node.id === to) break;
            out = tables.get(`${lidOf(node.id)} ${lidOf(to)}`) ?? 255;
          }
          return steps;
        };
        const random = seeded(20);
        const lot = (): string => `H${1 + Math.floor(random() * 100)}`;
        for (let n = 0; n < SAMPLE; n++) {
          const [from, to] = [lot(), lot()];
          if (from === to) continue;
          const { slid, dlid, hops, arrives } = await control.request({ op: "routes", from, to });
          const way = walk(from, to);
          expect([from, to, arrives]).toEqual([from, to, true]);
          const portOf = (end: string) => Number(/\[(\d+)\]/.exec(end)?.[1]);
          expect(way.map(([out, , entry]) => [out, entry])).toEqual(
            hops.map((hop) => [portOf(hop.from), portOf(hop.to)]),
          );
          expect(await ibtracert(fabric.dir, "H7", slid, dlid)).toEqual(way);
        }
      });
    });
  },
);

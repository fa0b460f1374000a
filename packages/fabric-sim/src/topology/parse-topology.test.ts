import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Guid, Mtu, PKey, VerbenaError } from "@verbena/ib";
import fc from "fast-check";
import { failureOf } from "../../test/failure-of.js";
import { formatLinkRate, negotiate } from "./link-speed.js";
import { type TopologyNode, topologyPort } from "./model.js";
import { parseTopology } from "./parse-topology.js";

const vector = (name: string) => readFileSync(join(__dirname, "..", "..", "test", "vectors", name), "utf8");

const byId = (nodes: readonly TopologyNode[], id: string): TopologyNode => nodes.find((node) => node.id === id)!;

/** Rate of the link at a port, as both ends agree on it. */
function rateOf(nodes: readonly TopologyNode[], id: string, number: number): string {
  const port = topologyPort(byId(nodes, id), number)!;
  const far = topologyPort(byId(nodes, port.remote!.node), port.remote!.port)!;
  return formatLinkRate(negotiate(port, far)!);
}

const failure = (text: string) => failureOf(() => parseTopology(text, { file: "x.net" }));

describe("net files of ibsim", () => {
  it("count GUIDs as ibsim does and take names as descriptions", () => {
    const { nodes } = parseTopology(vector("opensm-answers.net"));
    expect(nodes.map((node) => [node.id, node.kind, Guid.format(node.nodeGuid), node.description])).toEqual([
      ["Switch1", "switch", "0x0000000000200000", "Switch1"],
      ["Switch2", "switch", "0x0000000000200001", "Switch2"],
      ["Hca1", "ca", "0x0000000000100000", "Hca1"],
      ["Hca2", "ca", "0x0000000000100003", "Hca2"],
      ["Hca3", "ca", "0x0000000000100006", "Hca3"],
      ["Hca4", "ca", "0x0000000000100009", "Hca4"],
    ]);
    const hca2 = byId(nodes, "Hca2");
    expect(hca2.ports.map((port) => Guid.format(port.guid))).toEqual(["0x0000000000100004", "0x0000000000100005"]);
    expect(hca2.ports.map((port) => port.remote)).toEqual([{ node: "Switch2", port: 1 }, undefined]);
    expect(byId(nodes, "Switch1").ports).toHaveLength(9);
    expect(topologyPort(byId(nodes, "Switch1"), 0)?.mtu).toBe(Mtu.MTU_1024);
    expect(topologyPort(byId(nodes, "Switch1"), 1)?.mtu).toBe(Mtu.MTU_2048);
    expect(rateOf(nodes, "Hca1", 1)).toBe("4xSDR");
  });

  it("reads defaults, options, relative GUIDs, modules and a missing remote port", () => {
    const { nodes } = parseTopology(
      [
        "speed=7",
        "width=3",
        "mtu=4096",
        "hcaguids=0x5000",
        'module="m1"',
        'Switch 4 "S"',
        '[1] "H"[1]  w=1 s=EDR',
        '[2] "m1#K"',
        '[3] "R"[2]',
        "",
        'Hca 1 "H"',
        '[1] "S"[1] s=0x20 # mtu 2048',
        "",
        "caguid+0x100",
        "pkeys=0xffff,8001",
        'Ca 1 "K" # plain words base port 0 lid 7',
        '[1](abc) "S"[2]',
        "",
        'Rt 2 "R"',
        '[2] "S"[3]',
        "do Link",
      ].join("\n"),
    );
    expect(nodes.map((node) => node.id)).toEqual(["m1#S", "m1#H", "m1#K", "m1#R"]);
    expect(rateOf(nodes, "m1#H", 1)).toBe("1xEDR");
    expect(rateOf(nodes, "m1#K", 1)).toBe("4xQDR");
    const k = byId(nodes, "m1#K");
    expect(Guid.format(k.nodeGuid)).toBe("0x0000000000005100");
    expect(k.ports.map((port) => Guid.format(port.guid))).toEqual(["0x0000000000000abc"]);
    expect(k.description).toBe("plain words");
    expect(k.pkeys.map(PKey.format)).toEqual(["0xffff", "0x8001"]);
    expect(byId(nodes, "m1#H").ports[0]?.mtu).toBe(Mtu.MTU_2048);
    expect(byId(nodes, "m1#H").pkeys).toEqual([PKey.DEFAULT]);
    expect(byId(nodes, "m1#R").kind).toBe("router");
  });

  it("includes files, seen from the including file, and stops at a circle", () => {
    const files: Readonly<Record<string, string>> = {
      "lab/hosts.net": 'include "sub/h1.net"\n',
      "lab/sub/h1.net": 'Hca 1 "H1"\n[1] "S"[1]\n',
    };
    const seen: string[] = [];
    const { nodes } = parseTopology('Switch 1 "S"\n[1] "H1"[1]\ninclude "hosts.net"\n', {
      file: "lab/top.net",
      readInclude: (name, from) => {
        const file = join(from, "..", name);
        seen.push(file);
        return { file, text: files[file] ?? "" };
      },
    });
    expect(nodes.map((node) => node.id)).toEqual(["S", "H1"]);
    expect(seen).toEqual(["lab/hosts.net", "lab/sub/h1.net"]);
    const circle = () =>
      parseTopology('include "me"\n', { file: "me", readInclude: () => ({ file: "me", text: 'include "me"\n' }) });
    expect(failureOf(circle).code).toBe("VERBENA_SIM_TOPOLOGY_INCLUDE");
  });
});

describe("output of ibnetdiscover", () => {
  it("gives the fabric it was taken from", () => {
    const own = parseTopology(vector("opensm-answers.net")).nodes;
    const { nodes } = parseTopology(vector("ibnetdiscover-ibsim.txt"));
    expect(nodes).toHaveLength(6);
    const guid = (node: TopologyNode) => Guid.format(node.nodeGuid);
    for (const node of own) {
      const found = nodes.find((one) => guid(one) === guid(node))!;
      expect(found.description).toBe(node.description);
      expect(found.portCount).toBe(node.portCount);
      const remotes = (one: TopologyNode, all: readonly TopologyNode[]) =>
        one.ports.map((port) => port.remote && [guid(byId(all, port.remote.node)), port.remote.port]);
      expect(remotes(found, nodes)).toEqual(remotes(node, own));
    }
    const lids = Object.fromEntries(nodes.map((node) => [node.description, node.ports[0]?.lid]));
    expect(lids).toEqual({ Switch1: 2, Switch2: 3, Hca1: 1, Hca2: 4, Hca3: 5, Hca4: 6 });
  });

  it("reads speeds, widths, LMC, chassis numbers and names with any character", () => {
    const { nodes } = parseTopology(vector("ibnetdiscover-mixed.txt"));
    const gpu = byId(nodes, "H-0002c9030045f130");
    expect(gpu.ports.map((port) => [port.lid, port.lmc, Guid.format(port.guid)])).toEqual([
      [8, 2, "0x0002c9030045f131"],
      [12, 2, "0x0002c9030045f132"],
    ]);
    expect(rateOf(nodes, gpu.id, 1)).toBe("2xHDR");
    expect(rateOf(nodes, gpu.id, 2)).toBe("4xFDR10");
    expect(rateOf(nodes, "H-0002c9030045f140", 1)).toBe("4xXDR");
    expect(rateOf(nodes, "S-b8599f0300aa1100", 41)).toBe("4xNDR");
    expect(byId(nodes, "H-0002c9030045f120").description).toBe("login 01 mlx5_0");
    const core = byId(nodes, "S-b8599f0300bb2200");
    expect(core.description).toBe("core # 1");
    expect(core.ports[0]).toMatchObject({ lid: 20, guid: 0xb8599f0300bb2201n });
    expect(core).toMatchObject({ deviceId: 0xd2f2, vendorId: 0x2c9, systemImageGuid: 0xb8599f0300bb2200n });
  });
});

describe("errors", () => {
  it.each([
    ["", "VERBENA_SIM_TOPOLOGY_EMPTY", "x.net: no node found"],
    ['Swich 8 "S"', "VERBENA_SIM_TOPOLOGY_SYNTAX", 'x.net:1:1: cannot read "Swich 8 "S""'],
    [
      `Hca 1 "${"x".repeat(65)}"`,
      "VERBENA_SIM_TOPOLOGY_VALUE",
      `x.net:1:1: the NodeDescription "${"x".repeat(24)}…" is longer than 64 bytes`,
    ],
    ['Switch "S"', "VERBENA_SIM_TOPOLOGY_SYNTAX", 'x.net:1:8: expected a number of ports, found ""S""'],
    ["Switch 8", "VERBENA_SIM_TOPOLOGY_SYNTAX", "x.net:1:9: expected a quoted node name, the line ends"],
    ['Hca 2 "H#1"', "VERBENA_SIM_TOPOLOGY_SYNTAX", 'x.net:1:7: the node name "H#1" contains # or @'],
    ['Hca 2 "H1" up', "VERBENA_SIM_TOPOLOGY_SYNTAX", 'x.net:1:11: unexpected "up" behind the node name'],
    ['Switch 300 "S"', "VERBENA_SIM_TOPOLOGY_VALUE", "x.net:1:8: a node has 1 to 254 ports, not 300"],
    ['[1] "S"[1]', "VERBENA_SIM_TOPOLOGY_SYNTAX", "x.net:1:1: a connection outside of a node"],
    ['Hca 1 "H"\n[2] "S"[1]', "VERBENA_SIM_TOPOLOGY_VALUE", 'x.net:2:1: "H" has ports 1 to 1, not 2'],
    ['Hca 1 "H"\n[0] "S"[1]', "VERBENA_SIM_TOPOLOGY_VALUE", 'x.net:2:1: "H" has ports 1 to 1, not 0'],
    [
      'Hca 1 "H"\n[x] "S"[1]',
      "VERBENA_SIM_TOPOLOGY_SYNTAX",
      'x.net:2:1: expected a port number in brackets, found "[x] "S"[1]"',
    ],
    [
      'Hca 1 "H"\n[1] S[1]',
      "VERBENA_SIM_TOPOLOGY_SYNTAX",
      'x.net:2:5: expected the quoted name of the other node, found "S[1]"',
    ],
    ['Hca 1 "H"\n[1] "a@b"', "VERBENA_SIM_TOPOLOGY_SYNTAX", 'x.net:2:5: "a@b" is an alias'],
    ['Hca 1 "H"\n[1] "S"[1] w=99', "VERBENA_SIM_TOPOLOGY_VALUE", 'x.net:2:12: "99" is no width or speed'],
    ['Hca 1 "H"\n[1] "S"[1] q=1', "VERBENA_SIM_TOPOLOGY_SYNTAX", 'x.net:2:12: unknown port option "q"'],
    ['Hca 1 "H"\nHca 1 "H"', "VERBENA_SIM_TOPOLOGY_DUPLICATE", 'x.net:2:1: node "H" is described twice'],
    [
      'Hca 1 "H"\n[1] "S"[1]\n[1] "S"[2]',
      "VERBENA_SIM_TOPOLOGY_DUPLICATE",
      'x.net:3:1: port 1 of "H" is connected twice',
    ],
    ['Hca 1 "H"\n[1] "S"[1]', "VERBENA_SIM_TOPOLOGY_LINK", 'x.net:2:5: no node "S"'],
    [
      'Hca 1 "H"\n[1] "S"[1]\n\nSwitch 2 "S"',
      "VERBENA_SIM_TOPOLOGY_LINK",
      'x.net:2:5: "S" does not say where its port 1 leads',
    ],
    [
      'Hca 1 "H"\n[1] "S"[1]\n\nSwitch 2 "S"\n[1] "H"[2]',
      "VERBENA_SIM_TOPOLOGY_LINK",
      'x.net:2:5: "S"[1] is connected to "H"[2]',
    ],
    ['Hca 1 "H"\n[1] "H"[1]', "VERBENA_SIM_TOPOLOGY_LINK", "x.net:2:5: port 1 is connected to itself"],
    [
      'Hca 1 "H"\n[1] "K"[1] s=1\n\nHca 1 "K"\n[1] "H"[1] s=2',
      "VERBENA_SIM_TOPOLOGY_LINK",
      'x.net:2:1: "H"[1] and "K"[1] have no common width and speed',
    ],
    [
      'caguid=5\nHca 1 "H"\n\ncaguid=6\nHca 1 "K"',
      "VERBENA_SIM_TOPOLOGY_DUPLICATE",
      'x.net:5:1: GUID 0x0000000000000006 of "K" is taken by "H"',
    ],
    ["caguid=zz", "VERBENA_SIM_TOPOLOGY_VALUE", 'x.net:1:8: "zz" is no value for caguid'],
    ["caguid 5", "VERBENA_SIM_TOPOLOGY_SYNTAX", 'x.net:1:7: expected = or +, found " 5"'],
    ["pkeys=0x12345", "VERBENA_SIM_TOPOLOGY_VALUE", 'x.net:1:7: "0x12345" is no value for pkeys'],
    ['mtu=3000\nHca 1 "H"', "VERBENA_SIM_TOPOLOGY_VALUE", "x.net:2:10: 3000 is no MTU"],
    ['include "other.net"', "VERBENA_SIM_TOPOLOGY_INCLUDE", 'x.net:1:1: cannot include "other.net" here'],
    ["module=x", "VERBENA_SIM_TOPOLOGY_SYNTAX", 'x.net:1:1: expected module="NAME", found "module=x"'],
    [
      'Switch 1 "S" # "s" base port 0 lid 3 lmc 1',
      "VERBENA_SIM_TOPOLOGY_VALUE",
      "x.net:1:1: LID 3 with LMC 1 is no base LID",
    ],
    [
      'Switch 1 "S" # "s" lid 3 lmc 0\n\nSwitch 1 "T" # "t" lid 3 lmc 0',
      "VERBENA_SIM_TOPOLOGY_DUPLICATE",
      'x.net:3:1: LID 3 of "T" is taken by "S"',
    ],
  ])("%j", (text, code, message) => {
    const error = failure(text);
    expect([error.code, error.message]).toEqual([code, message]);
    expect(error.hint).toMatch(/.{10}/);
  });

  it("hint at the word that was meant, and carry the place as data", () => {
    const error = failure('Hca 1 "H"\n\nswitchgid=5\n');
    expect(error.hint).toBe("did you mean switchguid?");
    expect(error.details).toMatchObject({ file: "x.net", line: 3, column: 1 });
  });

  it("are the only thing thrown, whatever the text", () => {
    const words = fc.constantFrom(
      "Switch",
      "Hca",
      "Ca",
      "[1]",
      '"S"',
      "[2]",
      "(",
      "caguid=",
      "0x1",
      "w=",
      "#",
      "lid",
      "\n",
      " ",
      "8",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words, { maxLength: 40 }).map((parts) => parts.join(" ")),
        ),
        (text) => {
          try {
            parseTopology(text);
          } catch (error) {
            expect(VerbenaError.is(error)).toBe(true);
          }
        },
      ),
    );
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Commands } from "../src/control/commands.js";
import { describeFabric } from "../src/control/describe.js";
import type { FabricStatus, RouteResult } from "../src/control/protocol.js";
import { drawFabric } from "../src/graph/draw-fabric.js";
import { routeText } from "../src/graph/route-text.js";
import { escapeXml, shorten } from "../src/graph/svg.js";
import { Simulation } from "../src/process/simulation.js";
import { fatTree, twoLevel } from "../src/topology/generate.js";
import type { Topology } from "../src/topology/model.js";
import { parseTopology } from "../src/topology/parse-topology.js";
import { ManualServices } from "./manual-services.js";

function run(topology: Topology) {
  const services = new ManualServices();
  const simulation = new Simulation(topology, services);
  services.run();
  const status = (): FabricStatus => describeFabric(simulation, "/fabric", []);
  const route = (from: string, to: string): Promise<RouteResult> =>
    new Commands(simulation, { dir: "", programs: () => [] } as unknown as ConstructorParameters<
      typeof Commands
    >[1]).run({
      op: "routes",
      from,
      to,
    }) as Promise<RouteResult>;
  const link = (end: string, isUp: boolean) => {
    for (const port of simulation.fabric.portsNamed(end)) simulation.fabric.setLink(port, isUp);
    services.run();
  };
  return { simulation, services, status, route, link };
}

/** Throws unless every element is closed in its order, and every reference is one of XML's own. */
function checkXml(text: string): void {
  const open: string[] = [];
  const body = text.replace(/^<\?xml[^>]*\?>/, "");
  for (const [, close, name, self] of body.matchAll(/<(\/?)([A-Za-z]+)(?:\s[A-Za-z:-]+="[^"<]*")*\s*(\/?)>/g)) {
    if (close === "/") expect(open.pop()).toBe(name);
    else if (self !== "/") open.push(name!);
  }
  expect(open).toEqual([]);
  const rest = body.replace(/<\/?[A-Za-z]+(?:\s[A-Za-z:-]+="[^"<]*")*\s*\/?>/g, "");
  expect(rest).not.toMatch(/[<>]/);
  expect(text).not.toMatch(/&(?!(?:amp|lt|gt|quot|apos);)/);
}

describe("the drawing of a fabric", () => {
  it("is the one that was looked at, with a link down and a route", async () => {
    const { status, route, link } = run(twoLevel({ hosts: 4, hostsPerLeaf: 2 }));
    link("H2", false);
    const svg = drawFabric(status(), { route: await route("H1", "H4") });
    checkXml(svg);
    expect(svg).toBe(readFileSync(join(__dirname, "vectors/graph-two-level-4.svg"), "utf8"));
  });

  it("has every node and cable of a small fabric", () => {
    const { status } = run(twoLevel({ hosts: 8 }));
    const svg = drawFabric(status());
    expect(svg.match(/<g class="node switch">/g)).toHaveLength(3);
    expect(svg.match(/<g class="node ca">/g)).toHaveLength(8);
    expect(svg.match(/<path class="link"/g)).toHaveLength(10);
    expect(svg).toContain("H3[1] - L1[3] 4xEDR active");
  });

  it("has a card for each leaf switch of a large one", async () => {
    const { status, route } = run(fatTree({ hosts: 648, leafs: 36, spines: 18 }));
    const svg = drawFabric(status(), { route: await route("H1", "H648") });
    checkXml(svg);
    expect(svg.match(/<g class="node ca/g)).toHaveLength(36);
    expect(svg.match(/<path class="link many/g)).toHaveLength(36 + 36 * 18);
    expect(svg.match(/<path class="link many route"/g)).toHaveLength(4);
    expect(svg).toContain(">18 hosts<");
  });

  it("shows links that no manager has brought up", () => {
    const simulation = new Simulation(twoLevel({ hosts: 4 }), new ManualServices(), { sm: "opensm" });
    const svg = drawFabric(describeFabric(simulation, "", []));
    expect(svg).toContain("not active (dotted)");
    expect(svg).toContain("no LID");
  });

  it("stands odd fabrics: a cable between two hosts, a switch alone, rings, several cables, names of any kind", () => {
    const nets = [
      'Hca 1 "A"\n[1] "B"[1]\n\nHca 1 "B"\n[1] "A"[1]\n',
      'Switch 4 "S"\n[1] "S"[2]\n[2] "S"[1]\n\nHca 1 "A"\n[1] "B"[1]\n\nHca 1 "B"\n[1] "A"[1]\n',
      'Switch 4 "S"\n[1] "T"[1]\n[2] "T"[2]\n[3] "A"[1]\n\nSwitch 4 "T"\n[1] "S"[1]\n[2] "S"[2]\n[3] "B"[1]\n\nHca 1 "A"\n[1] "S"[3]\n\nHca 1 "B"\n[1] "T"[3]\n',
    ];
    for (const net of nets) {
      const { status } = run(parseTopology(net));
      const named = {
        ...status(),
        nodes: status().nodes.map((node) => ({ ...node, description: '<&">\u0001\ud800 é' })),
      };
      const svg = drawFabric(named);
      checkXml(svg);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    }
  });
});

describe("a route in words", () => {
  it("is what ibtracert prints", async () => {
    const { status, route, link } = run(twoLevel({ hosts: 8 }));
    expect(routeText(status(), await route("H1", "H8"))).toEqual([
      'From ca {0x0002c90300100000} portnum 1 lid 1-1 "node1 HCA-1"',
      '[1] -> switch port {0x0002c90300200000}[1] lid 2-2 "leaf1"',
      '[5] -> switch port {0x0002c90300200020}[1] lid 5-5 "spine1"',
      '[2] -> switch port {0x0002c90300200010}[5] lid 3-3 "leaf2"',
      '[4] -> ca port {0x0002c90300100071}[1] lid 11-11 "node8 HCA-1"',
      'To ca {0x0002c90300100070} portnum 1 lid 11-11 "node8 HCA-1"',
    ]);
    expect(routeText(status(), await route("H1", "H1"))).toEqual(["LID 1 to itself"]);
    link("S1[2]", false);
    expect(routeText(status(), await route("H1", "H8")).at(-1)).toBe("Does not arrive: no-route");
  });

  it("keeps a line a line, whatever a node calls itself", async () => {
    const { status, route } = run(twoLevel({ hosts: 8 }));
    const renamed = status();
    const nodes = renamed.nodes.map((node) =>
      node.id === "H1" ? { ...node, description: "né\u001b[2J\nnode1\u202e" } : node,
    );
    expect(routeText({ nodes }, await route("H1", "H8"))[0]).toBe(
      'From ca {0x0002c90300100000} portnum 1 lid 1-1 "né?[2J?node1?"',
    );
  });
});

describe("text in the drawing", () => {
  it("is XML whatever the name", () => {
    expect(escapeXml("a<b>&\"'\u0000\ud800é😀")).toBe("a&lt;b&gt;&amp;&quot;&apos;\ufffd\ufffdé😀");
    expect([shorten("abcdef", 6), shorten("abcdefg", 6)]).toEqual(["abcdef", "abcde…"]);
  });
});

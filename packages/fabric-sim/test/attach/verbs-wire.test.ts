/** Queue pairs of different processes and nodes: the scenarios of `verbs-wire` through the simulated switches, and what faults do to them. */
import { PKey } from "@verbena/ib";
import { cutRoute } from "../../src/faults/outages.js";
import type { LinkFault } from "../../src/faults/wire-faults.js";
import { fault, type Place, type Services, WireFabric } from "./wire-fabric.js";

const TIMEOUT_MS = 120_000;
const MLID = 0xc001;
/** Over both leafs and the spine. */
const FAR: readonly Place[] = [
  { role: "a", node: "H1" },
  { role: "b", node: "H8" },
];
/** Two processes on one HCA. */
const SAME: readonly Place[] = [
  { role: "a", node: "H1" },
  { role: "b", node: "H1" },
];

let fabric: WireFabric;
beforeEach(async () => {
  fabric = await WireFabric.start();
});
afterEach(async () => {
  await fabric.close();
});

const runs = async (scenario: string, places: readonly Place[] = FAR, services: Services = {}) => {
  expect(await fabric.run(scenario, places, services)).toEqual(places.map(() => ["ok"]));
};
const port = (name: string) => fabric.simulation.fabric.portNamed(name);
const everywhere = (part: Partial<LinkFault>) => {
  fabric.simulation.fabric.faults.set(undefined, fault(part));
};
/** A function to call for each of `count` programs, and a promise for each of them that all have called. */
const meeting = (count: number) => {
  let here = 0;
  let open: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    here += 1;
    if (here === count) open();
    return all;
  };
};

describe("reliable connections", () => {
  it.each(["messages", "remote-memory", "fence", "receiver-not-ready", "refusals", "abandoned"])(
    "%s, between nodes and between processes of one node",
    async (scenario) => {
      await runs(scenario, FAR, { "some time": () => undefined });
      await runs(scenario, SAME, { "some time": () => undefined });
    },
    TIMEOUT_MS,
  );

  it.each<[string, Partial<LinkFault>]>([
    ["a tenth of all packets is lost on each link", { lossPercent: 10 / 4 }],
    ["packets come twice", { duplicatePercent: 20 }],
    ["packets overtake each other", { reorderPercent: 5 }],
    ["packets take their time, each another one", { delayMs: 1, jitterMs: 3 }],
    ["all of that at once", { lossPercent: 1, duplicatePercent: 5, reorderPercent: 2, jitterMs: 1 }],
  ])(
    "bring everything, once and in order, where %s",
    async (_what, part) => {
      everywhere(part);
      await runs("messages");
      await runs("remote-memory");
    },
    TIMEOUT_MS,
  );

  it(
    "give up after the last retry when the other port is down",
    async () => {
      const down = () => {
        fabric.simulation.fabric.setLink(port("H8"), false);
      };
      const said = await fabric.run("no-answer", FAR, { "cut off": down, state: () => undefined });
      expect(said).toEqual([["ok"], ["received nothing", "ok"]]);
    },
    TIMEOUT_MS,
  );

  it(
    "give up where only the way back is gone, after the message has arrived",
    async () => {
      const cut = () => {
        expect(cutRoute(port("H8"), port("H1"))).toBe(true);
      };
      const said = await fabric.run("no-answer", FAR, { "cut off": cut, state: () => undefined });
      expect(said).toEqual([["ok"], ["received it", "ok"]]);
    },
    TIMEOUT_MS,
  );

  it(
    "flush a receive that is half filled",
    async () => {
      const { fabric: switches } = fabric.simulation;
      let delivered = 0;
      let enough: () => void = () => undefined;
      const packets = new Promise<void>((resolve) => {
        enough = resolve;
      });
      const stop = switches.trace.add((record) => {
        if (record.type === "deliver" && record.port === port("H8") && ++delivered === 10) enough();
      });
      await runs("half-received", FAR, {
        "no way back": () => {
          cutRoute(port("H8"), port("H1"));
        },
        "packets here": () => packets,
      });
      stop();
    },
    TIMEOUT_MS,
  );

  it(
    "survive a link that comes back in time",
    async () => {
      const link = (isUp: boolean) => () => {
        fabric.simulation.fabric.setLink(port("H8"), isUp);
      };
      await runs("survives", FAR, { "link down": link(false), "link up": link(true) });
    },
    TIMEOUT_MS,
  );
});

describe("unreliable connections", () => {
  it(
    "lose nothing on a good fabric",
    async () => {
      const said = await fabric.run("unreliable", FAR, { "no faults": () => undefined });
      expect(said).toEqual([["ok"], ["received 200", "ok"]]);
    },
    TIMEOUT_MS,
  );

  it(
    "lose whole messages where packets are lost, and deliver the others whole",
    async () => {
      everywhere({ lossPercent: 2, reorderPercent: 1 });
      const services = {
        "no faults": () => {
          fabric.simulation.fabric.faults.clear();
        },
      };
      const [, said = []] = await fabric.run("unreliable", FAR, services);
      const received = Number(/^received (\d+)$/.exec(said[0] ?? "")?.[1]);
      expect(said[1]).toBe("ok");
      // Four packets over four links: about 0.98^16 of the messages are whole.
      expect(received).toBeGreaterThan(80);
      expect(received).toBeLessThan(190);
    },
    TIMEOUT_MS,
  );
});

describe("datagrams", () => {
  it(
    "arrive with and without a GRH, and a wrong Q_Key is counted at the port",
    async () => {
      await runs("datagrams");
      expect(port("H8").qkeyViolations).toBe(1);
      await runs("datagrams", SAME);
      expect(port("H1").qkeyViolations).toBe(1);
    },
    TIMEOUT_MS,
  );

  it(
    "of another partition than the queue pair's are dropped and counted",
    async () => {
      for (const name of ["H1", "H8"]) port(name).pkeys = [PKey.DEFAULT, PKey.from(0x8001)];
      await runs("partitions");
      expect(port("H8").pkeyViolations).toBe(1);
    },
    TIMEOUT_MS,
  );

  it(
    "wait in the send queue when there are more than the fabric takes",
    async () => {
      await runs("flood");
    },
    TIMEOUT_MS,
  );
});

describe("multicast", () => {
  /** The switches' ports of a group: hosts 1 and 2 on the first leaf, 8 on the second. */
  const setGroup = () => {
    const { fabric: switches } = fabric.simulation;
    for (const host of ["H1", "H2", "H8"]) {
      const leafPort = port(host).cable;
      const tables = leafPort?.node.tables;
      const uplink = leafPort?.node.ports.find((one) => one.cable?.node.kind === "switch");
      if (leafPort === undefined || tables === undefined || uplink?.cable === undefined) throw new Error("no leaf");
      tables.setGroup(MLID, new Set([...tables.group(MLID), leafPort.number, uplink.number]));
      const spine = uplink.cable.node.tables;
      spine?.setGroup(MLID, new Set([...spine.group(MLID), uplink.cable.number]));
    }
    return switches;
  };

  it(
    "reaches every member once: on other nodes by the switches' tables, in other processes of the sender's node, and the sender itself",
    async () => {
      setGroup();
      const places: readonly Place[] = [
        { role: "b", node: "H2" },
        { role: "b", node: "H8" },
        { role: "b", node: "H8" },
        { role: "b", node: "H1" },
        { role: "a", node: "H1" },
      ];
      await runs("multicast", places, { attached: meeting(5), received: meeting(5) });
    },
    TIMEOUT_MS,
  );
});

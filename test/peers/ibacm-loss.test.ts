/**
 * Debian's ibacm and `verbena serve` on one fabric that loses packets: datagrams of the multicast protocol, or questions to the subnet
 * administrator. No answer is wrong, what is not found is a time-out, and all is found once no more is lost. How many were found is printed.
 */
import { writeSync } from "node:fs";
import { twoLevel } from "@verbena/fabric-sim";
import { VerbenaError } from "@verbena/ib";
import { AcmFabric } from "./acm-fabric.js";
import { acme, addressesOf } from "./acm-node.js";
import { shownPaths } from "./acme-output.js";
import { missingIbacm } from "./ibacm.js";
import { VerbenaNode } from "./verbena-node.js";

const TIMEOUT_MS = 90_000;
const THEIRS = [1, 3];
const OURS = [2, 4];
const HOSTS = [...THEIRS, ...OURS];
/** Names of each host beside the usual ones, so that each pair has so many questions. */
const NAMES = 8;
/** Of those, what an ibacm is asked for. */
const ASKED_OF_IBACM = 2;
const DEADLINE_MS = 3_000;
const THEIR_OPTIONS = [
  ...["addr_prot acm", "resolve_depth 16", "sa_depth 16"],
  // Each of its three tries of an address takes the subnet's time-out, a second, longer: together about as long as ours have.
  ...["timeout 100", "retries 2"],
];
/** Nobody tells by himself where he is: each has to be asked for. */
const SILENT = `providers:
  - package: "@verbena/provider-acm"
    options: { announce: false }
  - package: "@verbena/provider-sa"
`;
/** Hosts are on one switch: each packet crosses two links. */
const LINKS = 2;

const nameOf = (host: number, n: number): string => `many${host}x${n}`;
const names = (host: number): readonly string[] => Array.from({ length: NAMES }, (_, n) => nameOf(host, n));

interface Outcomes {
  right: number;
  timeouts: number;
  readonly others: string[];
}

const reason = missingIbacm();
const suite = reason === undefined ? describe : describe.skip;

suite.each([
  ["datagrams", "data", 30, 1],
  ["datagrams", "data", 60, 2],
  ["MADs to and from the administrator", "mads", 30, 3],
  ["MADs to and from the administrator", "mads", 60, 4],
] as const)(
  `of %s (%s) %i %% are lost${reason === undefined ? "" : `: ${reason}`}`,
  (_what, traffic, percent, seed) => {
    let fabric: AcmFabric;
    let lids: ReadonlyMap<number, number>;

    beforeAll(async () => {
      fabric = await AcmFabric.start(twoLevel({ hosts: HOSTS.length, hostsPerLeaf: HOSTS.length }), "built-in", {
        seed,
      });
      for (const host of THEIRS) {
        await fabric.ibacm(host, THEIR_OPTIONS, [...addressesOf(host), ...names(host)]);
      }
      for (const host of OURS) {
        await fabric.verbena(host, ["addr_prot acm"], [...addressesOf(host), ...names(host)], SILENT);
      }
      await fabric.groupsReach();
      const { nodes } = await fabric.sim.request({ op: "status" });
      lids = new Map(HOSTS.map((host) => [host, nodes.find(({ id }) => id === `H${host}`)?.ports[0]?.lid ?? 0]));
      const lossPercent = 100 * (1 - (1 - percent / 100) ** (1 / LINKS));
      await fabric.sim.request({ op: "fault", action: "set", lossPercent, traffic });
    }, TIMEOUT_MS);
    afterAll(() => fabric[Symbol.asyncDispose](), TIMEOUT_MS);

    /** Asks a host of ours for all names of another at once. */
    async function ours(from: number, to: number): Promise<Outcomes> {
      const node = fabric.node(from);
      if (!(node instanceof VerbenaNode)) throw new Error(`H${from} is not ours`);
      const outcomes: Outcomes = { right: 0, timeouts: 0, others: [] };
      await Promise.all(
        names(to).map(async (destination) => {
          try {
            const { paths } = await node.control.resolve({ destination, deadlineMs: DEADLINE_MS });
            if (paths[0]?.dlid === lids.get(to)) outcomes.right += 1;
            else outcomes.others.push(`${destination}: LID ${paths[0]?.dlid}`);
          } catch (error) {
            const code = VerbenaError.is(error) ? error.code : String(error);
            if (code === "VERBENA_RESOLVE_TIMEOUT") outcomes.timeouts += 1;
            else outcomes.others.push(`${destination}: ${code}`);
          }
        }),
      );
      return outcomes;
    }

    /** Asks an ibacm for some names of another host at once: one run of `ib_acme` would ask for one after the other. */
    async function theirs(from: number, to: number): Promise<Outcomes> {
      const outcomes: Outcomes = { right: 0, timeouts: 0, others: [] };
      const asked = names(to).slice(0, ASKED_OF_IBACM);
      const runs = asked.map((name) => acme(fabric.node(from), "-f", "n", "-s", `peer${from}`, "-d", name));
      for (const { destination, fields, failure } of (await Promise.all(runs)).flatMap(shownPaths)) {
        if (fields["dlid"] === String(lids.get(to))) outcomes.right += 1;
        else if (failure !== undefined) outcomes.timeouts += 1;
        else outcomes.others.push(`${destination}: LID ${fields["dlid"]}`);
      }
      return outcomes;
    }

    async function ask(
      from: readonly number[],
      to: readonly number[],
      question: (from: number, to: number) => Promise<Outcomes>,
      what: string,
    ): Promise<Outcomes> {
      const pairs = from.flatMap((one) => to.filter((other) => other !== one).map((other) => [one, other] as const));
      const all: Outcomes = { right: 0, timeouts: 0, others: [] };
      for (const { right, timeouts, others } of await Promise.all(pairs.map((pair) => question(...pair)))) {
        all.right += right;
        all.timeouts += timeouts;
        all.others.push(...others);
      }
      writeSync(2, `${traffic} ${percent} %, ${what}: ${all.right} right, ${all.timeouts} timed out\n`);
      return all;
    }

    it(
      "ours find each other and the names of an ibacm",
      async () => {
        const [among, theirNames] = await Promise.all([
          ask(OURS, OURS, ours, "ours to ours"),
          ask(OURS, THEIRS, ours, "ours to ibacm"),
        ]);
        expect([...among.others, ...theirNames.others]).toEqual([]);
        if (percent === 60) return;
        // Of questions to the administrator there are few within the deadline, and an ibacm asks him before it answers.
        if (traffic === "data") expect([among.timeouts, theirNames.timeouts]).toEqual([0, 0]);
        else expect(among.right).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );

    it(
      "an ibacm gets no wrong answer",
      async () => {
        const { others, right } = await ask(THEIRS, HOSTS, theirs, "ibacm to all");
        expect(others).toEqual([]);
        if (percent === 30) expect(right).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );

    it(
      "all find all once nothing is lost any more",
      async () => {
        await fabric.sim.request({ op: "fault", action: "clear" });
        for (const [from, question] of [
          [OURS, ours],
          [THEIRS, theirs],
        ] as const) {
          let outcomes: Outcomes;
          do {
            outcomes = await ask(from, HOSTS, question, `nothing lost any more, H${from.join(" and H")} to all`);
            expect(outcomes.others).toEqual([]);
          } while (outcomes.timeouts > 0);
        }
      },
      TIMEOUT_MS,
    );
  },
);

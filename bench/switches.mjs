// pnpm bench switches [--seconds S] [--write]
//
// Packets through the simulated switches: from host to host of a fat tree, hop by hop along the forwarding tables. Unreliable datagrams of
// 256 bytes, one way over one switch and over three. What a program adds (its socket to the fabric) is not in it.
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { parseArgs } from "node:util";
import { describeMachine } from "./lib/machine.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { table } from "./lib/table.mjs";

const root = join(import.meta.dirname, "..");
const require = createRequire(import.meta.url);
const { BthOpcode, encodeIbPacket, GSI_QKEY, PKey } = require("@verbena/ib");
const { fatTree } = require("@verbena/fabric-sim");
const { Simulation } = require(join(root, "packages/fabric-sim/dist/process/simulation.js"));
const { systemServices } = require(join(root, "packages/fabric-sim/dist/fabric/services.js"));

const BATCH = 256;
const { values } = parseArgs({
  options: { seconds: { type: "string", default: "3" }, write: { type: "boolean", default: false } },
});
const seconds = Number(values.seconds);
const simulation = new Simulation(fatTree({ hosts: 100, leafs: 4, spines: 2 }), systemServices(1));
await turn();

function hcaOf(port) {
  return simulation.host.hcas().find(({ id }) => id === port.node.id);
}

async function measure(from, to) {
  const [source, target] = [from, to].map((name) => simulation.fabric.portNamed(name));
  const packet = encodeIbPacket({
    lrh: { vl: 0, sl: 0, dlid: target.lid, slid: source.lid },
    bth: {
      opcode: BthOpcode.UD_SEND_ONLY,
      solicited: false,
      migration: false,
      pkey: PKey.DEFAULT,
      destQpn: 1,
      ackRequest: false,
      psn: 0,
    },
    deth: { qkey: GSI_QKEY, srcQpn: 1 },
    // A management class that no agent of the fabric takes, so that it goes to the programs of the host.
    payload: Buffer.from([1, 0x30, 1, 1, ...Buffer.alloc(252)]),
  });
  let arrived = 0;
  simulation.host.setReceiver(hcaOf(target), () => {
    arrived++;
  });
  const hca = hcaOf(source);
  let sent = 0;
  const begin = performance.now();
  const cpu = process.cpuUsage();
  while (performance.now() - begin < seconds * 1000) {
    for (let n = 0; n < BATCH; n++) simulation.host.inject(hca, source.number, Buffer.from(packet));
    sent += BATCH;
    await turn();
  }
  const took = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { from, to, sent, arrived, perSecond: arrived / took, cpuUs: (user + system) / sent };
}

const machine = describeMachine();
const results = [
  { switches: 1, ...(await measure("H1", "H2")) },
  { switches: 3, ...(await measure("H1", "H100")) },
];
simulation.close();
const rows = results.map(({ switches, perSecond, cpuUs }) => [
  switches,
  Math.round(perSecond).toLocaleString("en"),
  Math.round(perSecond * switches).toLocaleString("en"),
  cpuUs.toFixed(2),
]);
const date = new Date().toISOString().slice(0, 10);
const text = `## Simulated switches

Datagrams of 256 bytes between two hosts of a fat tree, ${seconds} s each (${date}, ${machine}):

${table(["switches on the way", "packets/s", "switch hops/s", "CPU µs/packet"], rows)}`;
process.stdout.write(text);
mkdirSync(join(root, "build", "bench"), { recursive: true });
writeFileSync(
  join(root, "build", "bench", "switches.json"),
  `${JSON.stringify({ machine, date, results }, undefined, 2)}\n`,
);
if (values.write) writeSection(join(root, "docs", "performance.md"), "switches", text);
if (results.some(({ sent, arrived }) => sent !== arrived)) {
  process.stderr.write("bench switches: packets were lost; the figures do not count\n");
  process.exitCode = 1;
}

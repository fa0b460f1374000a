// pnpm soak preload [--steps N] [--seed N]
//
// A daemon on a simulated host with the preload files of a large cluster: an OpenSM dump of N lines of paths (default 1,000,000) from a
// hundredth as many ports, a twentieth as many addresses in the hosts file, lines in both that cannot be read. Every address and LID that
// is asked for gets the path of the dump; lines that cannot be read are in the log by number; a reload brings in what was added; the
// daemon's peak of resident memory stays below 200 MB.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AcmClient } from "@verbena/core/client";
import { SimControlClient, startFabric, twoLevel } from "@verbena/fabric-sim";
import { Gid, Guid, Lid, VerbenaError } from "@verbena/ib";
import { startServe } from "../packages/cli/test/support/serve.js";
import { machineMs } from "./lib/machine-clock.js";
import { PreloadCluster } from "./lib/preload-files.js";
import { soakSettings } from "./lib/settings.js";

const PATHS = 1_000_000;
const PEAK_LIMIT_MB = 200;
const QUESTIONS = 5_000;
/** Lines of a file that the log names; then it says that there are more. */
const REPORTED = 20;

const { steps, random, replay } = soakSettings(PATHS);
const problems: string[] = [];
const folder = mkdtempSync(join(tmpdir(), "preload-"));
const file = (name: string): string => join(folder, name);

/** Peak of resident memory of a process, MB. */
function peakMb(pid: number): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kib) / 1024);
}

function expectPath(what: string, cluster: PreloadCluster, lid: number, got: object): void {
  const expected = { ...cluster.path(lid), dgid: cluster.gid(lid) };
  const wrong = Object.entries(expected).filter(([name, value]) => (got as Record<string, unknown>)[name] !== value);
  if (wrong.length > 0) problems.push(`${what}: ${wrong.map(([name, value]) => `${name} is not ${value}`).join(", ")}`);
}

/** Questions at random, by address and by LID. Gives their number. */
async function ask(client: AcmClient, cluster: PreloadCluster): Promise<number> {
  let asked = 0;
  const { hosts, ports } = cluster.sizes;
  while (asked < QUESTIONS) {
    const host = cluster.host(1 + Math.floor(random() * hosts));
    const lid = 1 + Math.floor(random() * ports);
    if (host === undefined || !cluster.isReachable(host.lid) || !cluster.isReachable(lid)) continue;
    try {
      const { path } = await client.resolve({ source: "node1", destination: host.address });
      expectPath(host.address, cluster, host.lid, path);
      expectPath(`LID ${lid}`, cluster, lid, (await client.resolvePath({ dlid: Lid.from(lid) })).path);
    } catch (error) {
      problems.push(`${host.address} or LID ${lid}: ${VerbenaError.is(error) ? error.code : String(error)}`);
    }
    asked += 2;
  }
  return asked;
}

async function main(): Promise<void> {
  await using fabric = await startFabric({ topology: twoLevel({ hosts: 2 }), dir: file("fabric") });
  await using sim = await SimControlClient.connect(fabric.dir);
  const { nodes } = await sim.request({ op: "status" });
  const port = nodes.find(({ id }) => id === "H1")?.ports[0];
  if (port === undefined) throw new Error("no port of H1");
  const sizes = { ports: Math.ceil(steps / 100), paths: steps, hosts: Math.ceil(steps / 20) };
  const cluster = new PreloadCluster(sizes, { lid: port.lid, guid: Guid.parse(port.guid) });
  const dump = cluster.writeDump(file("dump"));
  cluster.writeHosts(file("hosts"));
  writeFileSync(file("addresses"), "node1 sim0 1 default\n");
  const preload = ["route_preload opensm_full_v1", `route_data_file ${file("dump")}`];
  preload.push("addr_preload acm_hosts", `addr_data_file ${file("hosts")}`);
  writeFileSync(file("options"), `${["log_file stderr", `lock_file ${file("lock")}`, ...preload].join("\n")}\n`);

  const started = machineMs();
  const words = ["--fabric", fabric.dir, "--node", "H1", "-A", file("addresses"), "-O", file("options")];
  await using daemon = await startServe(words, file("s"));
  const readyMs = machineMs() - started;
  for (const line of dump.badLines.slice(0, REPORTED)) await daemon.logged(RegExp(`/dump:${line}: `));
  for (const line of cluster.badLines.slice(0, REPORTED)) await daemon.logged(RegExp(`/hosts:${line}: `));
  await using client = await AcmClient.connect({ socketPath: daemon.socket });
  const asked = await ask(client, cluster);

  const newcomer = 1 + (sizes.ports % 2);
  cluster.writeHosts(file("hosts"), [`newcomer ${Gid.format(cluster.gid(newcomer))}`]);
  await daemon.control.reload();
  expectPath("newcomer", cluster, newcomer, (await client.resolve({ source: "node1", destination: "newcomer" })).path);
  const peak = peakMb(Number(readFileSync(file("lock"), "utf8")));
  if (peak > PEAK_LIMIT_MB) problems.push(`${peak} MB at the peak, more than ${PEAK_LIMIT_MB}`);
  console.log(
    `${dump.count} paths from ${sizes.ports} ports, ${sizes.hosts} addresses: ready after ${Math.round(readyMs)} ms, ${asked} answers, a reload, peak ${peak} MB`,
  );
  for (const problem of problems.slice(0, 30)) console.error(`soak preload: ${problem}`);
  if (problems.length === 0) return;
  console.error(`soak preload: ${problems.length} problems; again with: ${replay}`);
  process.exitCode = 1;
}

void main().finally(() => {
  rmSync(folder, { recursive: true, force: true });
});

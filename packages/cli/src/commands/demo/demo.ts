import { ControlClient, type CountersJson, type PathJson, type ResolveJson } from "@verbena/core/client";
import { type AddressMessage, type FabricStatus, type RouteResult, SimControlClient } from "@verbena/fabric-sim";
import { Gid } from "@verbena/ib";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { untilSignal } from "../../signals.js";
import { DemoCluster, type DemoHost } from "./cluster.js";
import { describeDemo } from "./describe.js";
import { furtherSteps, thingsToTry } from "./guidance.js";

export interface DemoOptions {
  readonly keep?: boolean;
  readonly json?: boolean;
}

/** One question and its answer. */
export interface DemoPath {
  readonly kind: "name" | "IPv4" | "IPv6" | "GID" | "LID";
  readonly asked: string;
  readonly path: PathJson;
}

/** What the demonstration has to show. */
export interface DemoResult {
  readonly fabric: FabricStatus["counts"];
  readonly daemons: readonly string[];
  readonly from: string;
  readonly paths: readonly DemoPath[];
  /** The way to the host that was asked for by name, and the second daemon's path back. */
  readonly route: RouteResult;
  readonly back: DemoPath;
  readonly counters: CountersJson;
}

/** Runs a simulated cluster with two daemons, resolves one destination of each kind and shows what came of it. */
export async function demo(options: DemoOptions, io: Io): Promise<ExitCode> {
  const interrupted = untilSignal(["SIGINT", "SIGTERM", "SIGHUP"]);
  if (options.json !== true) io.out("starting a simulated fabric of eight hosts, and a daemon on two of them …\n\n");
  await using cluster = await DemoCluster.start();
  const result = await Promise.race([ask(cluster), interrupted]);
  if (typeof result === "string") throw failed(`interrupted by ${result}`);
  if (options.json === true) io.out(`${JSON.stringify(result)}\n`);
  else io.out(`${describeDemo(result)}\n${furtherSteps()}`);
  if (options.keep !== true) return EXIT.OK;
  io.out(`\n${thingsToTry(cluster)}`);
  const why = await Promise.race([interrupted, cluster.aProcessEnds()]);
  if (why === undefined) throw failed("a process of the cluster has ended");
  return EXIT.OK;
}

async function ask(cluster: DemoCluster): Promise<DemoResult> {
  const [first, last] = cluster.daemons;
  await using sim = await SimControlClient.connect(cluster.fabric);
  await using here = new ControlClient({ path: `${first.socket}.ctl` });
  await using there = new ControlClient({ path: `${last.socket}.ctl` });
  const status = await sim.request({ op: "status" });
  const { addresses } = await sim.request({ op: "addresses" });
  const paths: DemoPath[] = [];
  for (const question of questions(last, status, addresses)) paths.push(await answer(here, question, status));
  const route = await sim.request({ op: "routes", from: first.node, to: last.node });
  if (!route.arrives)
    throw failed(`a packet from ${first.name} does not arrive at ${last.name}: ${route.reason ?? ""}`);
  return {
    fabric: status.counts,
    daemons: cluster.daemons.map(({ name }) => name),
    from: first.name,
    paths,
    route,
    back: await answer(there, { kind: "name", asked: first.name, text: first.name, node: first.node }, status),
    counters: (await here.stats()).counters,
  };
}

interface Question extends Pick<DemoPath, "kind" | "asked"> {
  readonly text: string;
  /** Who it is. */
  readonly node: string;
}

/** Five destinations, one of each kind. */
function questions(named: DemoHost, status: FabricStatus, addresses: readonly AddressMessage[]): readonly Question[] {
  const ip = (node: string, isWanted: (text: string) => boolean): string => {
    const text = addresses.find((entry) => entry.node === node && isWanted(entry.address))?.address;
    if (text === undefined) throw failed(`${node} has no such address`);
    return text.replace(/\/\d+$/, "");
  };
  const ip4 = ip("H7", (text) => !text.includes(":"));
  const ip6 = ip("H6", (text) => text.includes(":"));
  const gid = gidOf(status, "H5");
  const lid = String(portOf(status, "H3").lid);
  return [
    { kind: "name", asked: named.name, text: named.name, node: named.node },
    { kind: "IPv4", asked: ip4, text: ip4, node: "H7" },
    { kind: "IPv6", asked: ip6, text: ip6, node: "H6" },
    { kind: "GID", asked: gid, text: `gid:${gid}`, node: "H5" },
    { kind: "LID", asked: lid, text: `lid:${lid}`, node: "H3" },
  ];
}

/** Asks, and compares the answer with what the fabric itself knows. */
async function answer(client: ControlClient, question: Question, status: FabricStatus): Promise<DemoPath> {
  const { kind, asked, text, node } = question;
  const { paths }: ResolveJson = await client.resolve({ destination: text });
  const [path] = paths;
  const { lid } = portOf(status, node);
  if (path === undefined) throw failed(`${asked} was resolved to no path`);
  if (path.dlid !== lid || path.dgid !== gidOf(status, node)) {
    throw failed(`${asked} was resolved to LID ${String(path.dlid)}, ${path.dgid}; the fabric says LID ${String(lid)}`);
  }
  return { kind, asked, path };
}

function portOf(status: FabricStatus, node: string): FabricStatus["nodes"][number]["ports"][number] {
  const port = status.nodes.find(({ id }) => id === node)?.ports[0];
  if (port === undefined) throw failed(`the fabric has no port of ${node}`);
  return port;
}

function gidOf(status: FabricStatus, node: string): string {
  return Gid.format(Gid.of(Gid.linkLocalPrefix, BigInt(portOf(status, node).guid)));
}

function failed(reason: string): Error {
  return cliError("VERBENA_CLI_DEMO", { details: { reason } });
}

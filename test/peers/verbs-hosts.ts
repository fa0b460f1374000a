import { Mtu } from "@verbena/ib";
import { openNative } from "@verbena/native";
import { routedGid } from "../../packages/native/test/port-address.js";
import { realDevice } from "../../packages/native/test/rig.js";
import { type Host, type HostPair, nodeOf } from "./verbs-pair.js";

/** What is known of port 1, for tests that not every device can pass. */
export interface PortReport {
  readonly isEthernet: boolean;
  /** Emulated in software on an emulated processor: a thousand messages take seconds. */
  readonly isSlow: boolean;
  /** Bytes. */
  readonly activeMtu: number;
  /** Options of ping-pong programs without which nothing arrives. */
  readonly options: readonly string[];
}

/** Two hosts for the programs of a suite. */
export interface VerbsHosts extends HostPair, AsyncDisposable {}

/** Of a real device, asked at once: which tests are skipped must be known before the first runs. */
function reportOfDevice(device: string): PortReport {
  const native = openNative();
  const context = native.verbs.open(device);
  const { linkLayer, activeMtu } = context.queryPort(1);
  const gid = routedGid(context);
  void native.close();
  return {
    isEthernet: linkLayer === "ethernet",
    isSlow: process.env["VERBENA_VM"] === "1",
    activeMtu: Mtu.toBytes(activeMtu) ?? 0,
    options: gid === undefined ? [] : ["-g", String(gid.index)],
  };
}

/** The device of the suites: the one that VERBENA_TEST_DEVICE names, or that of a simulated node. */
export const portReport: PortReport =
  realDevice === "" ? { isEthernet: false, isSlow: false, activeMtu: 4096, options: [] } : reportOfDevice(realDevice);

/** This machine with one of its devices. Ping-pong programs take options behind the name of the server, too. */
const withDevice = (device: string): Host => ({ line: (words) => [...words, "-d", device, ...portReport.options] });

/** Two nodes of a simulated fabric; or this machine twice, with the device that VERBENA_TEST_DEVICE names and that of VERBENA_TEST_PEER_DEVICE. */
export async function startHosts(): Promise<VerbsHosts> {
  if (realDevice !== "") {
    const peer = process.env["VERBENA_TEST_PEER_DEVICE"] ?? realDevice;
    return {
      server: withDevice(realDevice),
      client: withDevice(peer),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  // Late: a bundle for a real device needs nothing of it.
  const { Cluster } = await import("../../packages/cli/test/support/cluster.js");
  const cluster = await Cluster.start({ hosts: 2 });
  return {
    server: nodeOf(cluster.fabric, "node1"),
    client: nodeOf(cluster.fabric, "node2"),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

import type { EndpointJson, SaPortJson, StatusJson } from "@verbena/core/client";
import type { Check, Finding } from "../../src/commands/doctor/check.js";
import type { ConfigSeen, DaemonSeen, PortSeen, Probe, ProcessSeen } from "../../src/commands/doctor/probe.js";

/** What a fake host looks like; everything not given is that of a host where all is well. */
export type FakeHost = {
  readonly [K in keyof Probe]?: Probe[K] extends (...words: never[]) => Promise<infer T> ? T : Probe[K];
};

export const PORT: PortSeen = {
  device: "mlx5_0",
  port: 1,
  state: "active",
  linkLayer: "infiniband",
  isInfiniBand: true,
  lid: 5,
  smLid: 1,
  smSl: 0,
  rateGbps: 200,
  gid: "fe80::10:1",
  pkeys: [0xffff, 0],
};

export const PROCESS: ProcessSeen & { readonly isDaemon: boolean } = {
  pid: 42,
  command: "node",
  uid: 0,
  capabilities: 0x1ff_ffff_ffffn,
  memlock: 8_388_608,
  openFiles: 65_536,
  isDaemon: false,
};

export const CONFIG: ConfigSeen = {
  options: { path: "/etc/rdma/ibacm_opts.cfg", isThere: true },
  addresses: { path: "/etc/rdma/ibacm_addr.cfg", isThere: true },
  diagnostics: [],
  names: [{ text: "node1", device: "mlx5_0", port: 1, pkey: "default", where: "line 1 of /etc/rdma/ibacm_addr.cfg" }],
};

export const STATUS: StatusJson = {
  name: "verbena",
  version: "0.1.0",
  pid: 42,
  state: "ready",
  uptimeMs: 5,
  listening: ["/run/ibacm-unix.sock"],
  clients: 0,
  reloads: 0,
  endpoints: { ready: 1, joining: 0, failed: 0 },
  providers: ["sa"],
  warnings: [],
  degraded: [],
};

export const ENDPOINT: EndpointJson = {
  key: "mlx5_0/1/0xffff",
  device: "mlx5_0",
  nodeGuid: "0x0000000000100001",
  port: 1,
  portCount: 1,
  pkey: "0xffff",
  state: "ready",
  lid: 5,
  gid: "fe80::10:1",
  provider: "sa",
  addresses: ["node1", "192.0.2.1/24"],
  counters: { error: 0, resolve: 0, noData: 0, addressQuery: 0, addressCache: 0, routeQuery: 0, routeCache: 0 },
};

export const SA_PORT: SaPortJson = {
  device: "mlx5_0",
  port: 1,
  smLid: 1,
  window: 16,
  inFlight: 0,
  queued: 0,
  breaker: "closed",
  retryInMs: 0,
  sent: 3,
  answered: 3,
  busy: 0,
  timeouts: 0,
  refused: 0,
  dropped: 0,
  sendErrors: 0,
};

const DAEMON: DaemonSeen = { status: STATUS, endpoints: [ENDPOINT], sa: [SA_PORT] };

const WELL = {
  config: CONFIG,
  libraries: {
    addon: { available: true, path: "/opt/verbena_native.node" },
    verbs: { available: true, path: "/usr/lib/libibverbs.so.1.14.44.0", version: "1.14.44.0" },
    umad: { available: true, path: "/usr/lib/libibumad.so.3.2.44.0", version: "3.2.44.0" },
  },
  devices: [{ name: "mlx5_0", via: "verbs", firmware: "20.31", ports: [PORT] }],
  umad: [{ device: "mlx5_0", port: 1 }],
  sa: [{ device: "mlx5_0", port: 1, outcome: "answered", tookMs: 0.42 }],
  addresses: [{ address: "192.0.2.1", prefixLength: 24, interfaceName: "ib0", gid: PORT.gid, pkey: 0xffff }],
  interfaces: [{ name: "ib0", gid: PORT.gid, pkey: 0xffff, isUp: true }],
  deviceFiles: [{ path: "/dev/infiniband/umad0" }, { path: "/dev/infiniband/uverbs0" }],
  kernel: { core: ["mlx5_0"], verbs: true, umad: true, netlink: true, listeners: [42] },
  process: PROCESS,
  clientSocket: { path: "/run/ibacm-unix.sock", state: "listening", mode: "0777", pid: 42, command: "node" },
  controlSocket: { path: "/run/ibacm-unix.sock.ctl", state: "listening", mode: "0660", pid: 42, command: "node" },
  rendezvous: { path: "/run/ibacm.sock", wanted: "ibacm-unix.sock", target: "ibacm-unix.sock" },
  daemon: DAEMON,
  multicast: { isInUse: false, checks: [] },
  units: { "ibacm.service": "inactive", "ibacm.socket": "inactive" },
  processesNamed: [],
} as const satisfies FakeHost;

/** A probe that sees that host. */
export function fakeProbe(host: FakeHost = {}): Probe {
  const { fabric, ...seen } = { ...WELL, ...host };
  const looks = Object.entries(seen).map(([name, value]) => [name, () => Promise.resolve(value)]);
  return { fabric, ...Object.fromEntries(looks) } as Probe;
}

/** What a check finds on that host. */
export function check(one: Check, host: FakeHost = {}): Promise<readonly Finding[]> {
  return one.run(fakeProbe(host));
}

export { DAEMON };

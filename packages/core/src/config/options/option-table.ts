import { choiceOf, integer, keyword, numericSwitch, type OptionKind, path, truth } from "./option-kinds.js";

/** Folders fixed when ibacm was built, as Debian builds it. */
export const DEFAULT_PATHS = {
  conf: "/etc/rdma",
  run: "/run",
  logFile: "/var/log/ibacm.log",
  lockFile: "/run/ibacm.pid",
  optionsFile: "/etc/rdma/ibacm_opts.cfg",
  addressFile: "/etc/rdma/ibacm_addr.cfg",
  routeDataFile: "/etc/rdma/ibacm_route.data",
  hostsDataFile: "/etc/rdma/ibacm_hosts.data",
} as const;

/** Values of the `min_rate` key, Gb/s (2 stands for 2.5). */
export const MIN_RATES = [2, 5, 10, 14, 20, 25, 30, 40, 56, 60, 80, 100, 112, 120, 168, 200, 300] as const;

const MIN_MTUS = [256, 512, 1024, 2048, 4096];

/** One key of ibacm's options file. */
export interface OptionSpec<T> {
  readonly kind: OptionKind<T>;
  readonly fallback: T;
  readonly unit?: string;
  /** What it does, in our own words: comment of the generated file and row of the documentation. */
  readonly summary: string;
  /** Where the value appears in `verbena.yaml`, for the documentation. */
  readonly yaml: string;
  /** How the generated file shows it: an active line, or a commented-out one. */
  readonly generated: "active" | "comment";
}

function option<T>(spec: OptionSpec<T>): OptionSpec<T> {
  return spec;
}

const minutes = "number, -1 = never";

/**
 * Keys of `ibacm_opts.cfg` in the order of the generated file: the one source of reader, defaults, generated file and
 * documentation. `provider_lib_path` and `provider` are read apart (`provider-lines.ts`).
 */
export const OPTION_TABLE = {
  log_file: option<string>({
    kind: path(", `stdout` or `stderr`"),
    fallback: DEFAULT_PATHS.logFile,
    summary: "Where log lines go. A file is emptied at start; if it cannot be opened, lines go to standard output.",
    yaml: "daemon.logFile",
    generated: "active",
  }),
  log_level: option({
    kind: integer({ min: 0, max: 2, values: "0, 1, 2" }),
    fallback: 0,
    summary: "0 errors and set-up, 1 more of the set-up, 2 every operation.",
    yaml: "daemon.logLevel",
    generated: "active",
  }),
  umad_debug_level: option({
    kind: integer({ min: 0, max: 2, values: "0, 1, 2" }),
    fallback: 0,
    summary: "Debug output of libibumad on standard error.",
    yaml: "daemon.umadDebugLevel",
    generated: "active",
  }),
  lock_file: option<string>({
    kind: path(),
    fallback: DEFAULT_PATHS.lockFile,
    summary:
      "Locked for the life of the daemon and holds its process id: a second daemon with the same file does not start.",
    yaml: "daemon.lockFile",
    generated: "active",
  }),
  addr_prot: option<"acm">({
    kind: keyword({ acm: "acm" } as const),
    fallback: "acm",
    summary: "How names and addresses are resolved: acm asks the peers by multicast.",
    yaml: "chains.address",
    generated: "active",
  }),
  addr_timeout: option({
    kind: integer({ min: -1, values: minutes }),
    fallback: 1440,
    unit: "minutes",
    summary: "How long a resolved address is kept.",
    yaml: "caches.address.ttlMs",
    generated: "active",
  }),
  route_prot: option<"sa" | "acm">({
    kind: keyword({ sa: "sa", acm: "acm" } as const),
    fallback: "sa",
    summary: "How paths are found: sa asks the subnet administrator, acm takes what the multicast group says.",
    yaml: "chains.route",
    generated: "active",
  }),
  route_timeout: option({
    kind: integer({ min: -1, values: minutes }),
    fallback: -1,
    unit: "minutes",
    summary:
      "How long a path is kept; never longer than the address it belongs to. Where no file says: 10 minutes, and paths from files for ever (ibacm: all for ever).",
    yaml: "caches.route.ttlMs",
    generated: "active",
  }),
  loopback_prot: option<"local" | "none">({
    kind: keyword({ local: "local", none: "none" } as const),
    fallback: "local",
    summary: "local answers for this host's own addresses without asking anybody.",
    yaml: "resolver.loopback",
    generated: "active",
  }),
  server_port: option({
    kind: integer({ values: "1 to 65535" }),
    fallback: 6125,
    summary: "TCP port of the server modes loop and open.",
    yaml: "daemon.serverPort",
    generated: "active",
  }),
  server_mode: option<"unix" | "loop" | "open">({
    kind: keyword({ unix: "unix", loop: "loop", open: "open" } as const, "unix"),
    fallback: "unix",
    summary: "Where clients connect: unix a Unix socket, loop TCP on 127.0.0.1, open TCP on all IPv4 addresses.",
    yaml: "daemon.serverMode",
    generated: "active",
  }),
  acme_plus_kernel_only: option({
    kind: truth(),
    fallback: false,
    summary: "yes withholds the second socket or port name, the one librdmacm looks for.",
    yaml: "daemon.acmePlusKernelOnly",
    generated: "active",
  }),
  timeout: option({
    kind: integer({ usefulFrom: 1, values: "number from 1" }),
    fallback: 2000,
    unit: "milliseconds",
    summary: "How long one try of a query to the subnet administrator or to a peer waits.",
    yaml: "sa.timeoutMs",
    generated: "active",
  }),
  retries: option({
    kind: integer({ usefulFrom: 0, values: "number from 0" }),
    fallback: 2,
    summary: "Repeats after the first try.",
    yaml: "sa.retries",
    generated: "active",
  }),
  resolve_depth: option({
    kind: integer({ usefulFrom: 1, values: "number from 1" }),
    fallback: 1,
    summary: "Multicast requests in flight per endpoint.",
    yaml: "option of provider acm",
    generated: "active",
  }),
  sa_depth: option({
    kind: integer({ usefulFrom: 1, values: "number from 1" }),
    fallback: 1,
    summary: "Queries to the subnet administrator in flight per port.",
    yaml: "sa.depth",
    generated: "active",
  }),
  send_depth: option({
    kind: integer({ usefulFrom: 1, values: "number from 1" }),
    fallback: 1,
    summary: "Responses in the send queue per endpoint.",
    yaml: "option of provider acm",
    generated: "active",
  }),
  recv_depth: option({
    kind: integer({ usefulFrom: 1, values: "number from 1" }),
    fallback: 1024,
    summary: "Receive buffers per endpoint.",
    yaml: "option of provider acm",
    generated: "active",
  }),
  min_mtu: option({
    kind: choiceOf(MIN_MTUS, 2048),
    fallback: 2048,
    unit: "bytes",
    summary: "MTU of the base multicast group; the same on all hosts.",
    yaml: "option of provider acm",
    generated: "active",
  }),
  min_rate: option({
    kind: choiceOf(MIN_RATES, 10),
    fallback: 10,
    unit: "Gb/s",
    summary: "Rate of the base multicast group; the same on all hosts. 2 stands for 2.5.",
    yaml: "option of provider acm",
    generated: "active",
  }),
  route_preload: option<"none" | "opensm_full_v1">({
    kind: keyword({
      none: "none",
      no: "none",
      opensm_full_v1: "opensm_full_v1",
      full_opensm_v1: "opensm_full_v1",
    } as const),
    fallback: "none",
    summary: "Whether paths are read from a file at start: opensm_full_v1 reads OpenSM's full path dump.",
    yaml: "files.routeDump",
    generated: "active",
  }),
  route_data_file: option<string>({
    kind: path(),
    fallback: DEFAULT_PATHS.routeDataFile,
    summary: "The file route_preload reads.",
    yaml: "files.routeDump",
    generated: "comment",
  }),
  addr_preload: option<"none" | "acm_hosts">({
    kind: keyword({ none: "none", no: "none", acm_hosts: "acm_hosts" } as const),
    fallback: "none",
    summary: "Whether addresses are read from a file at start: acm_hosts reads lines of address and GID.",
    yaml: "files.hosts",
    generated: "active",
  }),
  addr_data_file: option<string>({
    kind: path(),
    fallback: DEFAULT_PATHS.hostsDataFile,
    summary: "The file addr_preload reads.",
    yaml: "files.hosts",
    generated: "comment",
  }),
  support_ips_in_addr_cfg: option({
    kind: numericSwitch(),
    fallback: false,
    summary: "1 also takes IP addresses from the address file; otherwise only those found on the interfaces count.",
    yaml: "addresses.supportIps",
    generated: "comment",
  }),
} as const;

/** Key of {@link OPTION_TABLE}. */
export type OptionKey = keyof typeof OPTION_TABLE;

/** Values by key; only what the file sets. */
export type OptionValues = { readonly [K in OptionKey]?: (typeof OPTION_TABLE)[K]["fallback"] };

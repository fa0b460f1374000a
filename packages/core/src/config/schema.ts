import { IpAddress, NETLINK_TIMEOUT_MS } from "@verbena/ib";
import * as v from "valibot";
import { DEFAULT_ADDRESS_REFRESH_MS, DEFAULT_ROUTE_REFRESH_MS, DEFAULT_ROUTE_TTL_MS } from "../cache/lifetimes.js";
import { DEFAULT_REFRESH_SHARE } from "../cache/refresh.js";
import { DEFAULT_BREAKER_AFTER, DEFAULT_BREAKER_PAUSE_MS } from "../sa-client/sa-breaker.js";
import { DEFAULT_PATHS, OPTION_TABLE } from "./options/option-table.js";

const MINUTE_MS = 60_000;

/** SA queries in flight per port unless a file says otherwise: one slow answer must not hold up the others. */
const DEFAULT_SA_DEPTH = 16;

function described<S extends v.GenericSchema>(schema: S, text: string) {
  return v.pipe(schema, v.description(text));
}

function count(min: number, max = Number.MAX_SAFE_INTEGER) {
  const message = `must be a whole number from ${String(min)}${max === Number.MAX_SAFE_INTEGER ? "" : ` to ${String(max)}`}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message));
}

const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  v.picklist(words, `must be one of ${words.join(", ")}`);
const text = v.pipe(v.string("must be a text"), v.minLength(1, "must not be empty"));
const flag = v.boolean("must be true or false");
const names = v.array(text, "must be a list of provider names");
const lifetime = v.union([count(0), v.literal("never")], "must be a number of milliseconds or never");
const partition = v.union([count(1, 0xffff), v.literal("default")], "must be a P_Key such as 0x8001, or default");
const notObject = "must be a section of keys";

const MAX_REFRESH_SHARE = 0.9;
const shareText = `must be a number from 0 to ${String(MAX_REFRESH_SHARE)}`;
const share = v.pipe(v.number(shareText), v.minValue(0, shareText), v.maxValue(MAX_REFRESH_SHARE, shareText));

function section<E extends v.ObjectEntries>(entries: E, message = notObject) {
  return v.object(entries, message);
}

const daemon = section({
  socket: v.optional(
    described(text, "Serve exactly this Unix socket: `serverMode` is ignored, no port file or second name is written."),
  ),
  control: v.optional(
    described(
      v.union([text, v.literal(false)], "must be a path or false"),
      "Control socket (mode 0660). Default: the Unix socket's path and `.ctl`; `false` for none.",
    ),
  ),
  serverMode: v.optional(
    described(oneOf(["unix", "loop", "open"]), OPTION_TABLE.server_mode.summary),
    OPTION_TABLE.server_mode.fallback,
  ),
  serverPort: v.optional(
    described(count(1, 65_535), OPTION_TABLE.server_port.summary),
    OPTION_TABLE.server_port.fallback,
  ),
  acmePlusKernelOnly: v.optional(
    described(flag, "true withholds the second socket or port name, the one librdmacm looks for."),
    OPTION_TABLE.acme_plus_kernel_only.fallback,
  ),
  kernelService: v.optional(
    described(flag, "Answer the kernel's path queries (RDMA netlink); false leaves them to the subnet administrator."),
    true,
  ),
  kernelTimeoutMs: v.optional(
    described(
      count(NETLINK_TIMEOUT_MS.MIN, NETLINK_TIMEOUT_MS.MAX),
      "How long the kernel waits for our answer before it asks the subnet administrator itself, milliseconds. The kernel is told.",
    ),
    NETLINK_TIMEOUT_MS.DEFAULT,
  ),
  clientIo: v.optional(
    described(
      oneOf(["auto", "ring", "epoll"]),
      "How the bytes of clients come and go: `ring` is an io_uring and fails where the system refuses one, `auto` takes epoll then.",
    ),
    "auto",
  ),
  runDirectory: v.optional(described(text, "Folder of the sockets and port files."), DEFAULT_PATHS.run),
  logFile: v.optional(
    described(
      text,
      `${OPTION_TABLE.log_file.summary} \`stdout\` and \`stderr\` are allowed. Default: ${DEFAULT_PATHS.logFile}; with \`socket\`: stderr.`,
    ),
  ),
  logLevel: v.optional(described(count(0, 2), OPTION_TABLE.log_level.summary), OPTION_TABLE.log_level.fallback),
  umadDebugLevel: v.optional(
    described(count(0, 2), OPTION_TABLE.umad_debug_level.summary),
    OPTION_TABLE.umad_debug_level.fallback,
  ),
  lockFile: v.optional(
    described(
      text,
      `${OPTION_TABLE.lock_file.summary} Default: ${DEFAULT_PATHS.lockFile}; with \`socket\`: its path and \`.pid\`.`,
    ),
  ),
  stopDeadlineMs: v.optional(described(count(0), "How long a stop waits for requests in work, milliseconds."), 5000),
});

const sa = section({
  timeoutMs: v.optional(described(count(1), OPTION_TABLE.timeout.summary), OPTION_TABLE.timeout.fallback),
  retries: v.optional(described(count(0), OPTION_TABLE.retries.summary), OPTION_TABLE.retries.fallback),
  depth: v.optional(described(count(1), OPTION_TABLE.sa_depth.summary), DEFAULT_SA_DEPTH),
  notices: v.optional(
    described(
      flag,
      "Subscribe to the notices of ports that come, go or change; false leaves changes elsewhere to the lives of the entries.",
    ),
    true,
  ),
  breakerAfter: v.optional(
    described(
      count(0),
      "Time-outs one after the other after which a silent subnet administrator is left alone for a while; 0 = never.",
    ),
    DEFAULT_BREAKER_AFTER,
  ),
  breakerPauseMs: v.optional(
    described(
      count(1),
      "First such pause, milliseconds; it doubles with each probe that fails, up to a minute. The upper half is drawn by lot.",
    ),
    DEFAULT_BREAKER_PAUSE_MS,
  ),
});

const resolver = section({
  loopback: v.optional(
    described(oneOf(["local", "none"]), OPTION_TABLE.loopback_prot.summary),
    OPTION_TABLE.loopback_prot.fallback,
  ),
  deadlineMs: v.optional(
    described(
      count(1),
      "How long a request may take. Default: (`sa.retries` + 1) × (`sa.timeoutMs` + 1024), the time that ibacm takes to ask its peers for an address where the subnet time-out is 18; without the provider acm in the address chain (`sa.retries` + 1) × `sa.timeoutMs`.",
    ),
  ),
});

const caches = section({
  address: v.optional(
    section({
      ttlMs: v.optional(
        described(lifetime, `${OPTION_TABLE.addr_timeout.summary} Milliseconds, or \`never\`.`),
        OPTION_TABLE.addr_timeout.fallback * MINUTE_MS,
      ),
      refreshMs: v.optional(
        described(
          lifetime,
          "Age at which an address that is asked for is served once more and looked up again in the background: how long a name or IP may be sought at a host that no longer has it. Those from files are not. Milliseconds, or `never`.",
        ),
        DEFAULT_ADDRESS_REFRESH_MS,
      ),
    }),
    {},
  ),
  route: v.optional(
    section({
      ttlMs: v.optional(
        described(lifetime, `${OPTION_TABLE.route_timeout.summary} Milliseconds, or \`never\`.`),
        DEFAULT_ROUTE_TTL_MS,
      ),
      refreshMs: v.optional(
        described(
          lifetime,
          "Age at which a path that is asked for is served once more and looked up again in the background: how long a host in use may be sought at a LID it no longer has. Paths from files are not. Milliseconds, or `never`.",
        ),
        DEFAULT_ROUTE_REFRESH_MS,
      ),
    }),
    {},
  ),
  negativeTtlMs: v.optional(
    described(count(0), "How long a failed lookup is remembered, milliseconds; 0 = not at all."),
    1000,
  ),
  refreshShare: v.optional(
    described(
      share,
      "Last share of an entry's life in which it is served and refreshed in the background when asked for; a refresh that fails keeps it until its end. 0 = not because its end is near; the age `refreshMs` of each cache counts all the same.",
    ),
    DEFAULT_REFRESH_SHARE,
  ),
  maxEntries: v.optional(
    described(count(1), "Entries of each of the two caches; the longest unused one goes first."),
    100_000,
  ),
});

const chains = section({
  address: v.optional(
    described(
      names,
      "Providers asked for addresses, in this order. Default: every listed provider that offers the role.",
    ),
  ),
  route: v.optional(
    described(names, "Providers asked for paths, in this order. Default: every listed provider that offers the role."),
  ),
});

const provider = section({
  package: described(
    text,
    "Name of an npm package, or a path that begins with `.` or `/`, seen from this file's folder.",
  ),
  options: v.optional(
    described(v.record(v.string(), v.unknown(), notObject), "Handed to the provider, which checks them."),
  ),
  optional: v.optional(
    described(flag, "true: where the package is not installed, a log line says so and the others do its part."),
    false,
  ),
});

const files = section({
  options: v.optional(described(text, "An `ibacm_opts.cfg` to read first; keys of this file win over it.")),
  addresses: v.optional(described(text, "An `ibacm_addr.cfg`: names of the local endpoints.")),
  hosts: v.optional(described(text, "Hosts data file: lines of address and GID, read at start.")),
  routeDump: v.optional(described(text, "OpenSM's full path dump, read at start.")),
});

const addresses = section({
  supportIps: v.optional(
    described(
      flag,
      "true also takes IP addresses from the address file; otherwise only those found on the interfaces count.",
    ),
    OPTION_TABLE.support_ips_in_addr_cfg.fallback,
  ),
  names: v.optional(
    v.array(
      section({
        name: described(
          text,
          "Name of a local endpoint (or an IP address, with `supportIps`), as in the address file.",
        ),
        device: described(text, "Device it belongs to; compared without case."),
        port: v.optional(described(count(1, 255), "Port of the device."), 1),
        pkey: v.optional(
          described(partition, "Partition: a P_Key such as 0x8001, or `default` for entry 0 of the port's table."),
          "default",
        ),
      }),
      "must be a list of `name:` and `device:` entries",
    ),
  ),
});

const native = section({
  libibverbs: v.optional(described(text, "Path of libibverbs, instead of the system's.")),
  libibumad: v.optional(described(text, "Path of libibumad, instead of the system's.")),
  librdmacm: v.optional(described(text, "Path of librdmacm, instead of the system's.")),
});

const octal = 'must be octal digits in quotes, such as "0660"';
const ipText = "must be an IP address";

const attach = section({
  path: v.optional(
    described(text, "Unix socket at which other processes attach. Default: the daemon's Unix socket and `.rds`."),
  ),
  mode: v.optional(
    described(v.pipe(v.string(octal), v.regex(/^0?[0-7]{3}$/, octal)), "Permissions of the socket."),
    "0660",
  ),
  group: v.optional(described(text, "Group of the socket, by name or number. Default: the daemon's.")),
  addresses: v.optional(
    described(
      v.array(
        v.pipe(
          v.string(ipText),
          v.check((address) => IpAddress.tryParse(address) !== undefined, ipText),
        ),
        "must be a list of IP addresses",
      ),
      "Local addresses that other processes may bind. Default: all that the transports serve.",
    ),
  ),
  maxSockets: v.optional(described(count(1, 65_536), "Sockets of other processes at one time."), 1024),
  maxBufferSize: v.optional(
    described(count(2304, 1 << 30), "Largest send and receive buffer of such a socket, payload bytes."),
    16 << 20,
  ),
});

const rds = section({
  transports: v.optional(
    described(
      v.array(text, "must be a list of names of transports"),
      "Transports of `@verbena/rds` that serve RDS sockets, in the order in which they are asked: `loop`, `kernel`, `tcp`. Default: `loop`, `kernel`; where other processes attach `loop`, `tcp`.",
    ),
  ),
  options: v.optional(
    described(v.record(v.string(), v.unknown(), notObject), "Further options of `@verbena/rds`, which checks them."),
    {},
  ),
  attach: v.optional(attach),
});

/** `verbena.yaml`: the one source of its parser, its defaults and its documentation. */
export const configSchema = v.object(
  {
    daemon: v.optional(daemon, {}),
    sa: v.optional(sa, {}),
    resolver: v.optional(resolver, {}),
    caches: v.optional(caches, {}),
    chains: v.optional(chains, {}),
    providers: v.optional(v.array(provider, "must be a list of `package:` entries")),
    files: v.optional(files, {}),
    addresses: v.optional(addresses, {}),
    native: v.optional(native, {}),
    rds: v.optional(rds, {}),
  },
  notObject,
);

/** What a file or a caller may write. */
export type ConfigInput = v.InferInput<typeof configSchema>;
/** The same with all defaults. */
export type ConfigOutput = v.InferOutput<typeof configSchema>;

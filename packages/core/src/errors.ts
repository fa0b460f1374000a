import { defineErrors } from "@verbena/ib";

/** Every coded error of `@verbena/core`; one section each in `docs/errors.md`. Alphabetical. A code never changes its meaning. */
export const CORE_ERRORS = {
  VERBENA_CLIENT_ABORTED: {
    message: "the call was aborted",
    hint: "the signal given to the call was aborted; see the cause",
  },
  VERBENA_CLIENT_CLOSED: {
    message: "the connection to {service} is closed",
    hint: "open a new client; the daemon may have been restarted",
  },
  VERBENA_CLIENT_CONNECT: {
    message: "cannot reach the service at {service}: {reason}",
    hint: "check that the daemon runs and that the socket path or host is right",
  },
  VERBENA_CLIENT_PROTOCOL: {
    message: "{service} sent something that is no reply of the ACM client protocol: {what}",
    hint: "check that the address belongs to ibacm or Verbena and not to another service",
  },
  VERBENA_CLIENT_STATUS: {
    message: "the service answered {operation} with status {status} ({name})",
    hint: "the name of the status says what failed; `verbena resolve` with the same ends shows a coded error and what to do",
  },
  VERBENA_CLIENT_TIMEOUT: {
    message: "{service} did not answer {operation} within {deadlineMs} ms",
    hint: "raise the deadline, or ask without waiting (noDelay)",
  },
  VERBENA_CONFIG_INVALID: {
    message: "{problems}",
    hint: "correct the lines named; a running daemon keeps the configuration it has",
  },
  VERBENA_CONTROL_BODY: {
    message: "the request body is not what this path takes: {what}",
    hint: "see docs/control-socket.md for the members of each request",
  },
  VERBENA_CONTROL_BODY_SIZE: {
    message: "the request body is longer than {limit} bytes",
    hint: "no request of this interface needs so many",
  },
  VERBENA_CONTROL_INTERNAL: {
    message: "the daemon failed in an unforeseen way: {reason}",
    hint: "the daemon's log has the details; please report it",
  },
  VERBENA_CONTROL_METHOD: {
    message: "{path} does not take {method}",
    hint: "it takes {allowed}",
  },
  VERBENA_CONTROL_NOT_FOUND: {
    message: "{path} is not offered by this daemon",
    hint: "see docs/control-socket.md for the paths there are; an older daemon has fewer",
  },
  VERBENA_DAEMON_LOCKED: {
    message: "another daemon holds the lock file {file}",
    hint: "stop it, or give this one a lock_file of its own",
  },
  VERBENA_DAEMON_STATE: {
    message: "the daemon is {state}, {operation} is not possible now",
    hint: "start a daemon once; wait for ready before a reload",
  },
  VERBENA_DAEMON_SYSTEMD: {
    message: "the service manager handed over what this daemon cannot use: {what}",
    hint: "the socket unit may pass one listening stream socket and one RDMA netlink socket",
  },
  VERBENA_ENGINE_CHAIN: {
    message: 'the {chain} chain names provider "{name}", which is not loaded',
    hint: "load it, or take its name out of the chain; loaded: {loaded}",
  },
  VERBENA_FILE_KIND: {
    message: "{file} is {kind}, not a regular file",
    hint: "name a regular file; what comes out of a FIFO or a device can be written to one first",
  },
  VERBENA_FILE_SIZE: {
    message: "{file} has more than {limit} bytes",
    hint: "check that it is the file you mean; docs/limits.md has the limits",
  },
  VERBENA_OPTION_UNKNOWN: {
    message: "{of}: {problem}",
    hint: "correct the name where {of} is called; what it does not know it would ignore, and work with a default",
  },
  VERBENA_OPTION_VALUE: {
    message: "{of}: {option} must be {wanted}, not {value}",
    hint: "correct the value where {of} is called",
  },
  VERBENA_PROVIDER_DUPLICATE: {
    message: '{where}: a provider named "{name}" is already there ({other})',
    hint: "remove one of the two entries",
  },
  VERBENA_PROVIDER_FAULT: {
    message: 'provider "{name}" broke its contract: {what}',
    hint: "report it to the provider's author; the next provider of the chain was asked instead",
  },
  VERBENA_PROVIDER_LOAD: {
    message: 'provider package "{specifier}" failed while loading: {reason}',
    hint: "run `node -e \"require('{specifier}')\"` in the configuration's folder to see the failure alone",
  },
  VERBENA_PROVIDER_MANIFEST: {
    message: "{origin}: {what}",
    hint: "correct the manifest given to defineProvider()",
  },
  VERBENA_PROVIDER_NOT_A_PROVIDER: {
    message: "{origin} does not export a provider by default",
    hint: "export default defineProvider({ manifest, provider }) from @verbena/core/sdk",
  },
  VERBENA_PROVIDER_NOT_FOUND: {
    message: 'provider package "{specifier}" was not found from {folders}',
    hint: "install it there, or give its path relative to the configuration file",
  },
  VERBENA_PROVIDER_OPTIONS: {
    message: '{where}: options of provider "{name}": {what}',
    hint: "correct the provider's section of the configuration",
  },
  VERBENA_PROVIDER_SDK_RANGE: {
    message: 'provider "{name}" {version} ({origin}) works with SDK {wanted}, this host offers SDK {offered}',
    hint: "install versions of the provider and of Verbena that fit each other",
  },
  VERBENA_PROVIDER_START: {
    message: 'provider "{name}" could not be constructed: {reason}',
    hint: "see the cause: an option or a file it was given, or the provider itself",
  },
  VERBENA_RESOLVE_ABORTED: {
    message: "the request was aborted",
    hint: "the caller aborted it; nothing is wrong with the fabric",
  },
  VERBENA_RESOLVE_CLOSED: {
    message: "the resolver is closed",
    hint: "create a new one",
  },
  VERBENA_RESOLVE_DESTINATION: {
    message: "the request names no destination",
    hint: "give a destination GID or a destination LID",
  },
  VERBENA_RESOLVE_DESTINATION_SYNTAX: {
    message: '"{text}" is no destination: {what}',
    hint: "write a name, an IP address, a GID or a LID; `name:`, `ip:`, `gid:` and `lid:` in front say which",
  },
  VERBENA_RESOLVE_DESTINATION_TYPE: {
    message: "a destination of kind {kind} needs a source",
    hint: "name a source address, or ask by IP address",
  },
  VERBENA_RESOLVE_NOT_READY: {
    message: "endpoint {endpoint} is not ready: {state}",
    hint: "see the log of its provider; the subnet manager may not have answered yet",
  },
  VERBENA_RESOLVE_NO_DATA: {
    message: "{destination} is not known",
    hint: "check the name or address; `verbena cache ls` shows what is remembered as unknown",
  },
  VERBENA_RESOLVE_NO_ROUTE_TO_SOURCE: {
    message: "no source address for {destination}: errno {errno}",
    hint: "`ip route get {destination}` shows what the kernel makes of it",
  },
  VERBENA_RESOLVE_NO_SOURCE: {
    message: "{source} is not an address of an endpoint of this host",
    hint: "`verbena endpoints` lists the endpoints and their addresses; check the address file and the port's state",
  },
  VERBENA_RESOLVE_SA_STATUS: {
    message: "the subnet administrator refused the path to {destination}: status 0x{status}",
    hint: "see the log of the subnet manager; `saquery` with the same fields shows the same status",
  },
  VERBENA_RESOLVE_TIMEOUT: {
    message: "no answer about {destination} before the deadline",
    hint: "check that the subnet manager runs and that the destination's port is active",
  },
  VERBENA_SA_ABORTED: {
    message: "the SA query on {port} was aborted",
    hint: "the caller aborted it",
  },
  VERBENA_SA_BREAKER_OPEN: {
    message: "the SA behind {port} does not answer and is left alone; it will be tried again in {retryInMs} ms",
    hint: "check that a subnet manager runs (`sminfo`); what is cached is still served, and the first answer ends this",
  },
  VERBENA_SA_BUSY: {
    message: "the SA behind {port} was busy until the deadline",
    hint: "the subnet manager is overloaded; raise `timeout` or `retries`, or lower `sa_depth`",
  },
  VERBENA_SA_CLOSED: {
    message: "the SA client of {port} is closed",
    hint: "the port went down or the daemon is stopping; ask again when the port is active",
  },
  VERBENA_SA_SEND: {
    message: "a query to the SA could not be sent from {port}: errno {errno}",
    hint: "check access to /dev/infiniband/umad* and the port's state",
  },
  VERBENA_SA_STALE: {
    message: "{port} changed while the SA was asked",
    hint: "ask again: the port has other addresses now",
  },
  VERBENA_SA_TIMEOUT: {
    message: "the SA behind {port} did not answer before the deadline",
    hint: "check that a subnet manager runs (`sminfo`) and that the port is active",
  },
  VERBENA_SERVER_LISTEN: {
    message: "cannot listen on {where}: {reason}",
    hint: "check that the folder exists, that you may write there, and that no other daemon holds the port or path",
  },
  VERBENA_SERVER_PATH: {
    message: "{path} exists and is not a socket",
    hint: "remove it, or choose another socket path",
  },
  VERBENA_SERVER_PATH_LENGTH: {
    message: "socket path {path} has {bytes} bytes, the system takes {limit}",
    hint: "choose a shorter path",
  },
  VERBENA_SERVER_RENDEZVOUS: {
    message: "cannot write the names of the service in {runDir}: {reason}",
    hint: "check that the folder exists and that you may write there",
  },
} as const;

/** Makes an error of this package's table. */
export const coreError = defineErrors(CORE_ERRORS);

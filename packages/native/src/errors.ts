import { defineErrors } from "@verbena/ib";

/** Error table of this package; one section per code in `docs/errors.md`. */
export const NATIVE_ERRORS = {
  VERBENA_NATIVE_ADDON: {
    message: "the native addon cannot be loaded: {reason}",
    hint: "Run scripts/bootstrap in the clone: it builds the addon for this machine.",
  },
  VERBENA_NATIVE_LIBRARY: {
    message: "cannot load {library}: {reason}",
    hint: "Install rdma-core's {package}, or name the library by {variable}.",
  },
  VERBENA_NATIVE_FABRIC: {
    message: "cannot join the simulated fabric at {dir} as {node}: {reason}",
    hint: "Start it with 'verbena sim run TOPOLOGY --dir {dir}' and choose a node that 'verbena sim ctl --dir {dir} status' lists.",
  },
  VERBENA_NATIVE_OPTION: {
    message: "{what}",
    hint: "The option types are documented at NativeOptions.",
  },
  VERBENA_NATIVE_NO_DEVICE: {
    message: "no RDMA device {device}",
    hint: "List the devices with 'verbena endpoints' or in /sys/class/infiniband; names are case-sensitive.",
  },
  VERBENA_NATIVE_OPEN: {
    message: "cannot open {what}: {reason}",
  },
  VERBENA_NATIVE_QUERY: {
    message: "cannot query {what}: {reason}",
    hint: "The device may have been removed; list the devices again.",
  },
  VERBENA_NATIVE_REGISTER: {
    message: "cannot register an agent for class {mgmtClass} on {what}: {reason}",
    hint: "Another program may hold the same class and methods, or the port has no room for more agents (32).",
  },
  VERBENA_NATIVE_SEND: {
    message: "cannot send a MAD on {what}: {reason}",
  },
  VERBENA_NATIVE_RECEIVE: {
    message: "reading from {what} failed: {reason}",
    hint: "The device was removed or its driver reset; open it again once it is back.",
  },
  VERBENA_NATIVE_CLOSED: {
    message: "{what} is closed",
    hint: "Open a new one; nothing can be done with a closed handle.",
  },
  VERBENA_NATIVE_BUSY: {
    message: "{what} already has a reader",
    hint: "Open a handle for each reader, or end the first iterator (leave its loop) before starting another.",
  },
  VERBENA_NATIVE_NETLINK: {
    message: "rtnetlink: {reason}",
    hint: "Addresses of IPoIB interfaces cannot be followed; check that the process may open netlink sockets (seccomp, container).",
  },
  VERBENA_NATIVE_NETLINK_MESSAGE: {
    message: "malformed netlink message: {reason}",
    hint: "The bytes do not come from a Linux kernel; report them with the kernel's version.",
  },
  VERBENA_NATIVE_TCP: {
    message: "TCP {what}: {reason}",
    hint: "The addresses must be numeric and the local one must belong to this host; another program may hold the port ('ss -ltnp').",
  },
  VERBENA_NATIVE_RDMA_NETLINK: {
    message: "the kernel's RDMA local service: {reason}",
    hint: "Path queries of the kernel go to the subnet administrator instead. Load RDMA (modprobe ib_core), and run in the host's network namespace.",
  },
  VERBENA_NATIVE_CONTROL: {
    message: "unusable answer from the simulated fabric at {socket}: {reason}",
    hint: "The fabric and this library are of different versions; restart the fabric from the same installation.",
  },
  VERBENA_NATIVE_CREATE: {
    message: "cannot create {what}: {reason}",
    hint: "The limits of the device are what limits() of its context says.",
  },
  VERBENA_NATIVE_MEMORY: {
    message: "cannot register {length} bytes: {reason}",
    hint: "Registered memory is locked: raise 'ulimit -l' (memlock), or register less.",
  },
  VERBENA_NATIVE_MODIFY: {
    message: "cannot change {what}: {reason}",
    hint: "Each state allows its own attributes; toInit(), toRtr() and toRts() take those of each.",
  },
  VERBENA_NATIVE_POST: {
    message: "cannot post to {what}: {reason}",
    hint: "Sends need the state RTS, receives INIT or later; a UD send needs an address handle.",
  },
  VERBENA_NATIVE_QUEUE_FULL: {
    message: "{what} has no room for {count} more requests",
    hint: "Wait for completions, or create the queue pair with a larger maxSendWr or maxRecvWr.",
  },
  VERBENA_NATIVE_CQ_OVERRUN: {
    message: "{what} of depth {depth} could be overrun: its queues would hold {wanted} requests",
    hint: "Create it deeper, resize it, or give the queue pair a completion queue of its own.",
  },
  VERBENA_NATIVE_COMPLETION: {
    message: "{what}: a request ended with {status}",
    hint: "docs/completion-channels.md tells what each status means. After a failure the queue pair is in the error state.",
  },
  VERBENA_NATIVE_LENT: {
    message: "{what} is still in use by {count} requests",
    hint: "Wait for their completions, or close the queue pair first.",
  },
  VERBENA_NATIVE_CHANNEL: {
    message: "{what}: {reason}",
    hint: "The device behind the channel has gone; close everything of it.",
  },
  VERBENA_NATIVE_RDS: {
    message: "RDS socket of the kernel: {reason}",
    hint: "docs/rds.md tells what each errno means. The kernel's transports are modules: rds_tcp, rds_rdma.",
  },
  VERBENA_NATIVE_SYSTEM: {
    message: "{what}: {reason}",
  },
} as const;

/** Makes this package's errors. */
export const nativeError = defineErrors(NATIVE_ERRORS);

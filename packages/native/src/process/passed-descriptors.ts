import type { PassedDescriptor } from "../api/process.js";
import type { SocketDescription } from "../binding.js";
import type { Environment } from "../load-binding.js";
import { NETLINK } from "../rtnetlink/message.js";

/** First descriptor of the hand-over protocol (sd_listen_fds(3)). */
const FIRST_FD = 3;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const SOCK_STREAM = 1;

/** What kind of socket was passed, by the socket itself: names and order are chosen by whoever wrote the unit. */
export function classifySocket(socket: SocketDescription | undefined): PassedDescriptor["kind"] {
  if (socket === undefined) return "unknown";
  if (socket.family === AF_NETLINK) return socket.protocol === NETLINK.RDMA ? "netlink-rdma" : "unknown";
  if (socket.type !== SOCK_STREAM || !socket.isListening) return "unknown";
  if (socket.family === AF_UNIX) return "unix-stream-listener";
  return socket.family === AF_INET || socket.family === AF_INET6 ? "tcp-listener" : "unknown";
}

/** Descriptors that `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES` announce for the process `pid`. */
export function readPassedDescriptors(
  env: Environment,
  pid: number,
  describe: (fd: number) => SocketDescription | undefined,
): readonly PassedDescriptor[] {
  const count = Number(env["LISTEN_FDS"] ?? "");
  // Variables are inherited: without the own pid they are meant for a parent.
  if (env["LISTEN_PID"] !== String(pid) || !Number.isInteger(count) || count <= 0) return [];
  const names = (env["LISTEN_FDNAMES"] ?? "").split(":");
  return Array.from({ length: count }, (_, i) => {
    const fd = FIRST_FD + i;
    const name = names[i] ?? "";
    return { fd, name: name === "unknown" ? "" : name, kind: classifySocket(describe(fd)) };
  });
}

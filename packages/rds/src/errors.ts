import { constants } from "node:os";
import type { DatagramErrno } from "@verbena/core/sdk";
import { defineErrors, type VerbenaError } from "@verbena/ib";

/** Every coded error of `@verbena/rds`; one section each in `docs/errors.md`. The last part of most is the errno that Linux gives; `errno` has its number. */
export const RDS_ERRORS = {
  VERBENA_RDS_ABORTED: {
    message: "{operation} was aborted",
    hint: "the signal given to the call was aborted; see the cause",
  },
  VERBENA_RDS_CLOSED: {
    message: "the {what} is closed",
    hint: "open a new one",
  },
  VERBENA_RDS_MALFORMED: {
    message: "the peer sent {what} of {problem}",
    hint: "the peer speaks another protocol, or messages larger than this side takes (maxMessageSize)",
  },
  VERBENA_RDS_OPTION: {
    message: "{of}: {problem}",
    hint: "correct the option where {of} is called",
  },
  VERBENA_RDS_KERNEL: {
    message: "the kernel's RDS: {reason}",
    hint: "errno has the number; the kernel's log may say more",
  },
  VERBENA_RDS_ATTACH_UNREACHABLE: {
    message: "no RDS stack answers at {path}: {reason}",
    hint: "start it (`verbena serve --rds`), name the path of its socket, and see that this user may open it (rds.attach.mode, rds.attach.group)",
  },
  VERBENA_RDS_ATTACH_VERSION: {
    message: "the RDS stack at {path} speaks version {theirs} of the attach protocol, this program version {ours}",
    hint: "install the same version of @verbena/rds on both sides",
  },
  VERBENA_RDS_ATTACH_MALFORMED: {
    message: "the other side of an attached socket sent {what}: {problem}",
    hint: "what answers at the path is not an RDS socket, or not of this version, or the program is none of @verbena/rds",
  },
  VERBENA_RDS_ATTACH_REFUSED: {
    message: "the RDS stack at {path} refused: {reason}",
    hint: "the log of the daemon says more",
  },
  VERBENA_RDS_ATTACH_FULL: {
    message: "{limit} sockets of other processes are open already",
    hint: "close some, or raise rds.attach.maxSockets",
  },
  VERBENA_RDS_ATTACH_DETACHED: {
    message: "the socket is not attached to the RDS stack at {path}",
    hint: "it attaches again by itself when the stack answers; wait for writable()",
  },
  VERBENA_RDS_ATTACH_LOST: {
    message: "the RDS stack ended with {messages} messages of this socket not acknowledged",
    hint: "each of them may have arrived or not, and none is sent again; ask the receiver, or make messages that may come twice",
  },
  VERBENA_RDS_EADDRINUSE: {
    message: "{reason}",
    hint: "choose another port, or 0 for a free one; info('sockets') lists those in use",
  },
  VERBENA_RDS_EADDRNOTAVAIL: {
    message: "no transport serves the address {address}",
    hint: "bind an address of this host, and configure a transport that serves it; asked: {transports}",
  },
  VERBENA_RDS_EAFNOSUPPORT: {
    message: "{reason}",
    hint: "RDS addresses are IPv4 and IPv6 addresses with a port",
  },
  VERBENA_RDS_EAGAIN: {
    message: "{reason}",
    hint: "wait for the socket to become readable or writable, or use a call that waits",
  },
  VERBENA_RDS_EDESTADDRREQ: {
    message: "{address} is no destination",
    hint: "name the peer's address",
  },
  VERBENA_RDS_EINVAL: {
    message: "{reason}",
    hint: "docs/rds.md tells what each call takes",
  },
  VERBENA_RDS_EMSGSIZE: {
    message: "a message of {length} bytes is longer than {limit}, {what}",
    hint: "raise the limit named, or send less at once",
  },
  VERBENA_RDS_ENOBUFS: {
    message: "port {port} of {address} is congested",
    hint: "its receiver does not keep up; wait for uncongested(), or use send(), which waits",
  },
  VERBENA_RDS_ENOMEM: {
    message: "{reason}",
    hint: "raise the limits of the stack, or send less",
  },
  VERBENA_RDS_ENOPROTOOPT: {
    message: "{reason}",
    hint: "choose a transport that serves the address, or none, and the stack chooses",
  },
  VERBENA_RDS_ENOTCONN: {
    message: "{reason}",
    hint: "bind the socket, and name a destination by connect() or with the message",
  },
  VERBENA_RDS_EOPNOTSUPP: {
    message: "{reason}",
    hint: "docs/rds.md has a table of what each transport can do",
  },
  VERBENA_RDS_EPROTOTYPE: {
    message: "{reason}",
    hint: "docs/rds.md has a table of what each transport can do",
  },
  VERBENA_RDS_ETIMEDOUT: {
    message: "{operation} was not possible within {timeoutMs} ms",
    hint: "the peer is unreachable or does not read; raise the time-out, 0 waits for ever",
  },
} as const;

/** Makes errors of this package without an errno. */
export const rdsError = defineErrors(RDS_ERRORS);

/** Makes the error of an errno, its number included. */
export function errnoError(
  errno: DatagramErrno,
  details: Readonly<Record<string, unknown>>,
  cause?: unknown,
): VerbenaError {
  return rdsError(`VERBENA_RDS_${errno}`, { details, cause, errno: constants.errno[errno] });
}

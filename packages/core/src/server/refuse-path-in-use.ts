import { connect } from "node:net";
import { constants } from "node:os";
import { coreError } from "../errors.js";

/**
 * Rejects with VERBENA_SERVER_LISTEN (EADDRINUSE) when a process listens on the Unix socket at `path`, which to listen there would take away from
 * it. Nothing there, or the socket of a process that has ended, is well. Of two processes that start in the same moment it may notice neither.
 */
export async function refusePathInUse(path: string): Promise<void> {
  if (!(await isAnswered(path))) return;
  throw coreError("VERBENA_SERVER_LISTEN", {
    details: { where: path, reason: "another process listens there" },
    hint: "stop that process, or give this one another path",
    errno: constants.errno.EADDRINUSE,
    syscall: "bind",
  });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      // So many wait to be accepted that there is no room for another: somebody listens.
      resolve(error.code === "EAGAIN");
    });
  });
}

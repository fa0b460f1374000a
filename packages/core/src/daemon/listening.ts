import type { PassedDescriptor } from "@verbena/native";
import type { DaemonConfig } from "../config/daemon-config.js";
import { coreError } from "../errors.js";
import type { AcmListener } from "../server/listen.js";
import { listenerFor, publishRendezvous, removeNames } from "../server/rendezvous.js";

/** Where the daemon listens, and which names it writes once it does. */
export interface ListeningPlan {
  readonly listener: AcmListener;
  /** Path the control socket's default is made from. */
  readonly socket: string;
  /** Call when the server listens; gives the function that takes the names back. */
  publish(): () => void;
}

const nothing = (): void => undefined;

/**
 * An exact socket: that alone. Under systemd: the stream socket handed over, else as `unix`. Otherwise `server_mode`.
 * Throws VERBENA_DAEMON_SYSTEMD when what was handed over makes no sense.
 */
export function planListening(
  config: DaemonConfig["daemon"],
  passed: readonly PassedDescriptor[] | undefined,
): ListeningPlan {
  const { socket, runDirectory, serverPort, acmePlusKernelOnly } = config;
  if (socket !== undefined) return { listener: { kind: "unix", path: socket }, socket, publish: () => nothing };
  const mode = passed === undefined ? config.serverMode : "unix";
  const standard = listenerFor({ runDir: runDirectory, mode: "unix", port: serverPort });
  const path = standard.kind === "unix" ? standard.path : runDirectory;
  const handedOver = passed === undefined ? undefined : streamSocket(passed);
  if (handedOver !== undefined) {
    return {
      listener: { kind: "fd", fd: handedOver.fd },
      socket: path,
      publish: () => {
        removeNames(runDirectory, "tcp");
        return nothing;
      },
    };
  }
  return {
    listener: listenerFor({ runDir: runDirectory, mode, port: serverPort }),
    socket: path,
    publish: () => publishRendezvous({ runDir: runDirectory, mode, port: serverPort, acmePlusKernelOnly }),
  };
}

/** The one listening stream socket among the descriptors, whatever their order. */
function streamSocket(passed: readonly PassedDescriptor[]): PassedDescriptor | undefined {
  const streams = passed.filter(({ kind }) => kind === "unix-stream-listener" || kind === "tcp-listener");
  const strange = passed.find(({ kind }) => kind === "unknown");
  if (strange !== undefined)
    throw handedOver(
      `descriptor ${String(strange.fd)} is neither a listening stream socket nor an RDMA netlink socket`,
    );
  if (streams.length > 1) throw handedOver(`${String(streams.length)} stream sockets`);
  if (passed.length - streams.length > 1) throw handedOver("more than one netlink socket");
  return streams[0];
}

function handedOver(what: string): Error {
  return coreError("VERBENA_DAEMON_SYSTEMD", { details: { what } });
}

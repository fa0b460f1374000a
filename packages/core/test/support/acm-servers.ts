import { type NativeServices, openNative } from "@verbena/native";
import { createFrontServer } from "../../src/front/index.js";
import { type AcmServer, type AcmServerOptions, createAcmServer } from "../../src/server/index.js";

/** Starts a server that the suite of servers is run against. */
export type StartServer = (options: AcmServerOptions) => Promise<AcmServer>;

const native = openNative() as NativeServices & Required<Pick<NativeServices, "openFrontEnd">>;

/** Why the system refuses the front end a ring; `undefined` where it does not. */
function refusalOfRing(): string | undefined {
  const front = native.openFrontEnd({
    maxClients: 1,
    maxOpenRequests: 1,
    maxUnsentBytes: 0,
    tableBytes: 0,
    onEvents: () => undefined,
    onStalled: () => undefined,
  });
  void front.close();
  const { ringRefusal } = front;
  return ringRefusal === undefined ? undefined : `${ringRefusal.syscall}: errno ${String(ringRefusal.errno)}`;
}

/** Why the front end on a ring is not among {@link ACM_SERVERS}. */
export const REFUSAL_OF_RING = refusalOfRing();

function frontServer(io: "ring" | "epoll"): StartServer {
  return (options) => createFrontServer({ openFrontEnd: native.openFrontEnd.bind(native), io, ...options });
}

/** Every implementation of the server of the client protocol that can run here, by name; all pass the same suite. */
export const ACM_SERVERS: readonly (readonly [name: string, start: StartServer])[] = [
  [
    "in TypeScript",
    (options) => createAcmServer({ peerCredentials: (fd) => native.process.peerCredentials(fd), ...options }),
  ],
  ["with the native front end on epoll", frontServer("epoll")],
  ...(REFUSAL_OF_RING === undefined ? [["with the native front end on a ring", frontServer("ring")] as const] : []),
];

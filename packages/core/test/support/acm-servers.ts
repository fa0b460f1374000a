import { type NativeServices, openNative } from "@verbena/native";
import { createFrontServer } from "../../src/front/index.js";
import { type AcmServer, type AcmServerOptions, createAcmServer } from "../../src/server/index.js";

/** Starts a server that the suite of servers is run against. */
export type StartServer = (options: AcmServerOptions) => Promise<AcmServer>;

const native = openNative() as NativeServices & Required<Pick<NativeServices, "openFrontEnd">>;

/** Every implementation of the server of the client protocol, by name; all pass the same suite. */
export const ACM_SERVERS: readonly (readonly [name: string, start: StartServer])[] = [
  [
    "in TypeScript",
    (options) => createAcmServer({ peerCredentials: (fd) => native.process.peerCredentials(fd), ...options }),
  ],
  [
    "with the native front end",
    (options) => createFrontServer({ openFrontEnd: native.openFrontEnd.bind(native), ...options }),
  ],
];

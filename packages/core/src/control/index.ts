export type { ControlServer, ControlServerOptions } from "./control-server.js";
export { createControlServer } from "./control-server.js";
export { MAX_BODY_BYTES } from "./request-body.js";
export type { ControlHost } from "./routes.js";
export type * from "./wire.js";

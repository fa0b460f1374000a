export { createFrontServer, type FrontServerOptions } from "./front-server.js";
export { KeptReplies, type KeptRepliesOptions } from "./kept-replies.js";

// Messages to and fro over a reliable connection; either end can be ibv_rc_pingpong:
//   node rc.js            start a server and wait for a client
//   node rc.js HOST       connect to the server at HOST
import { openConnected } from "./connected.js";
import { main } from "./program.js";

await main({ program: "rc.js", without: ["num-qp"] }, (context, options) => openConnected("rc", context, options));

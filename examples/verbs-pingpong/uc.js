// Messages to and fro over an unreliable connection, where a lost one ends the game; either end can be ibv_uc_pingpong.
import { openConnected } from "./connected.js";
import { main } from "./program.js";

await main({ program: "uc.js", without: ["num-qp"] }, (context, options) => openConnected("uc", context, options));

import { runFace } from "./face.js";
import { processIo } from "./io.js";

void runFace(process.argv, processIo()).then((code) => {
  process.exitCode = code;
});

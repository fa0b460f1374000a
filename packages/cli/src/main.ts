import { runFace } from "./face.js";
import { processIo } from "./io.js";

void runFace(process.argv, processIo(), process.argv0).then((code) => {
  process.exitCode = code;
});

import { runFace } from "./face.js";
import { processIo } from "./io.js";

void runFace(process.argv, processIo(), process.argv0).then((code) => {
  // Output that could not be written has made it a failure already.
  process.exitCode ??= code;
});

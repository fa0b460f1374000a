// The reader of path dumps, for the soak that gives it one that is in no file.
export type { ByteSource, DumpRoute } from "../../src/preload/index.js";
export { OpensmDump } from "../../src/preload/index.js";

export type { ByteSource } from "./line-areas.js";
export type { DumpRoute } from "./opensm-dump.js";
export { OpensmDump } from "./opensm-dump.js";
export type { PreloadFilesOptions } from "./preload-files.js";
export { PreloadFiles } from "./preload-files.js";
export type { PreloadEntry, PreloadReport, PreloadSource } from "./types.js";

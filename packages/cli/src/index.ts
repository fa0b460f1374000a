/**
 * The `verbena` program as a library: for those who mount its commands in a program of their own.
 *
 * @packageDocumentation
 */
export type { AcmeEnvironment, GenerateSources } from "./acme/index.js";
export { runAcme } from "./acme/index.js";
export { CLI_ERRORS } from "./errors.js";
export type { ExitCode } from "./exit-code.js";
export { EXIT } from "./exit-code.js";
export { runFace } from "./face.js";
export type { Io } from "./io.js";

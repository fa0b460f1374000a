export type { GenerateSources } from "./generate.js";
export type { AcmeEnvironment } from "./run-acme.js";
export { runAcme } from "./run-acme.js";

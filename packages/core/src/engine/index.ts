export type { AddressFileEntry } from "../addresses/local-addresses.js";
export type { SourceSelector } from "../addresses/source-selector.js";
export { fabricSourceSelector, kernelSourceSelector } from "../addresses/source-selector.js";
export type { SaWindow } from "../sa-client/sa-window.js";
export { fixedWindow } from "../sa-client/sa-window.js";
export type { EngineHandle } from "./engine.js";
export { createEngine } from "./engine.js";
export type { ChainNames, EngineOptions } from "./options.js";

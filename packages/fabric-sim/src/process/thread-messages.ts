import type { FabricOptions } from "./start-fabric.js";

/** What the thread is started with. */
export interface ThreadData {
  readonly options: Omit<FabricOptions, "logger">;
}

/** What the starting thread says. */
export interface ToThread {
  readonly type: "close";
}

/** What the fabric's thread says. */
export type FromThread =
  | { readonly type: "ready"; readonly dir: string }
  | {
      readonly type: "failed";
      readonly code: string | undefined;
      readonly hint: string | undefined;
      readonly message: string;
    }
  | { readonly type: "log"; readonly level: "info" | "warn"; readonly facts: object; readonly message: string };

import type { McMemberRecord } from "@verbena/ib";
import type { FabricPort } from "../fabric/port.js";

/** What the subnet manager has found or done, told when its tables are new. */
export type SmChange =
  /** A port came into the subnet, or left it. */
  | { readonly type: "port-in" | "port-out"; readonly port: FabricPort }
  | { readonly type: "group-created" | "group-deleted"; readonly record: McMemberRecord }
  /** The manager acts as one that has taken over: what ports had told its predecessor is forgotten. */
  | { readonly type: "taken-over" };

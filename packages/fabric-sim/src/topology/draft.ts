import type { Mtu, PKey } from "@verbena/ib";
import type { LinkMasks } from "./link-speed.js";
import type { NodeStatement, PortStatement } from "./statements.js";

/** A node as read, before its links are checked. Defaults of the lines above it are already applied. */
export interface NodeDraft {
  readonly statement: NodeStatement;
  readonly nodeGuid: bigint;
  readonly portGuid: bigint | undefined;
  readonly systemImageGuid: bigint | undefined;
  readonly vendorId: number;
  readonly deviceId: number;
  readonly pkeys: readonly PKey[];
  readonly masks: LinkMasks;
  readonly mtu: Mtu;
  readonly connections: Map<number, PortStatement>;
}

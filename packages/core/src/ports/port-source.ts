import type { VerbsContext } from "@verbena/native";
import type { Port } from "../sdk/endpoint.js";

/** What a library says about a port at one moment; the port table adds the generation. */
export type PortReading = Omit<Port, "generation">;

/** What may have happened to a port, by name of the hint that came. Unknown events arrive as data. */
export type PortSignalType =
  | "port-active"
  | "port-err"
  | "lid-change"
  | "gid-change"
  | "pkey-change"
  | "sm-change"
  | "client-reregister"
  | "refresh"
  | "unknown";

/** A hint that a port is to be read again. The state that counts is the one read, never the one hinted at. */
export type PortSignal =
  | { readonly type: Exclude<PortSignalType, "unknown">; readonly device: string; readonly port: number }
  | { readonly type: "unknown"; readonly device: string; readonly port: number; readonly raw: unknown }
  | { readonly type: "device-added" | "device-removed"; readonly device: string };

/** A channel adapter as a source knows it. */
export interface SourceDevice {
  readonly name: string;
  readonly ports: readonly number[];
  /** Absent where verbs has no such device. */
  readonly verbs?: VerbsContext;
}

/**
 * Where ports come from. Two implementations: libibverbs, and libibumad for places where verbs lists no device.
 */
export interface PortSource extends AsyncDisposable {
  readonly kind: "verbs" | "umad";
  /** Lists the devices, in the order they were opened, and starts to watch them. Called once. */
  start(onSignal: (signal: PortSignal) => void): readonly SourceDevice[];
  devices(): readonly SourceDevice[];
  /** Fresh state; `undefined` when the port is gone or cannot be read. */
  read(device: string, port: number): PortReading | undefined;
  /** Looks for devices that came or went, and asks for every port to be read again. */
  rescan(): void;
  close(): Promise<void>;
}

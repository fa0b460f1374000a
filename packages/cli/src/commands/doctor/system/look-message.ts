import type { ConfigSources } from "@verbena/core";
import type { NativeOptions } from "@verbena/native";
import type { AddressSeen, ConfigSeen, DeviceSeen, LibrariesSeen, SaSeen, UmadSeen } from "../probe.js";

/** Where a daemon with this configuration listens. */
export interface DaemonPlace {
  readonly socket?: string;
  readonly runDirectory: string;
  readonly control?: string | false;
  readonly serverMode: "unix" | "loop" | "open";
  readonly serverPort: number;
}

/** What the looking process reports, section by section, as it has it. */
export interface LookSections {
  /** `place` is absent when the files have errors. */
  readonly config: { readonly seen: ConfigSeen; readonly place?: DaemonPlace };
  readonly libraries: LibrariesSeen;
  readonly devices: readonly DeviceSeen[];
  readonly umad: readonly UmadSeen[];
  readonly sa: readonly SaSeen[];
  readonly addresses: readonly AddressSeen[];
}

/** What that process is told. */
export interface LookOrder {
  readonly sources: ConfigSources;
  /** Wins over the configuration. */
  readonly native: NativeOptions;
  /** How long the subnet administrator and the address list are waited for, milliseconds. */
  readonly patienceMs: number;
}

/** One message of that process. */
export type LookReport =
  | {
      readonly [K in keyof LookSections]: { readonly section: K; readonly value: LookSections[K] };
    }[keyof LookSections]
  | { readonly section: keyof LookSections; readonly error: { readonly message: string; readonly hint?: string } };

/** Every section, in the order in which they are looked at. */
export const SECTIONS = ["config", "libraries", "devices", "umad", "sa", "addresses"] as const;

import type { AddressMessage } from "../addresses/address-message.js";
import type { SaMode } from "../sa/sa-behaviour.js";

/** A port as the log shows it. Of a switch's external port, LIDs are 0 and GIDs none. */
export interface LoggedPort {
  /** `H1[1]`. */
  readonly end: string;
  readonly state: "down" | "init" | "armed" | "active";
  /** Base LID; 0 before a manager gave one. */
  readonly lid: number;
  readonly lmc: number;
  readonly smLid: number;
  /** GID table; `::` is a free entry. */
  readonly gids: readonly string[];
  /** P_Key table; `0x0000` is a free entry. */
  readonly pkeys: readonly string[];
  /** `4xEDR`; also while the link is down. */
  readonly rate: string;
}

/** A way between two host ports that packets would arrive by now, as the tables of that moment have it. */
export interface LoggedPath {
  readonly from: string;
  readonly to: string;
  /** GID 0 of each end. */
  readonly sgid: string;
  readonly dgid: string;
  /** Base LID of the source. */
  readonly slid: number;
  /** One of the 2^LMC LIDs of the destination; each has a path of its own. */
  readonly dlid: number;
  /** Code of the smallest MTU and of the slowest rate on the way, both ends included. */
  readonly mtu: number;
  readonly rate: number;
  /** P_Keys of the source that both can talk with, in table order; never empty. */
  readonly pkeys: readonly string[];
}

/** Entries of a switch's tables. */
export interface LoggedTables {
  /** Topology id of the switch. */
  readonly node: string;
  /** LID and port, 255 for none. */
  readonly routes: readonly (readonly [lid: number, port: number])[];
  /** Multicast LID and ports. */
  readonly groups: readonly (readonly [mlid: number, ports: readonly number[]])[];
}

/** Names a path that is gone. */
export type LoggedPathKey = Pick<LoggedPath, "from" | "to" | "dlid">;

/** What an entry says. */
export type FabricLogFact =
  /** Everything, where a listener begins. `paths` is absent if the fabric has more host ports than the log follows. */
  | {
      readonly type: "snapshot";
      readonly ports: readonly LoggedPort[];
      readonly tables: readonly LoggedTables[];
      readonly addresses: readonly AddressMessage[];
      readonly paths?: readonly LoggedPath[];
    }
  /** A request of the control socket that may change something; written before it is carried out. */
  | { readonly type: "command"; readonly request: object }
  | { readonly type: "link"; readonly end: string; readonly isUp: boolean }
  | { readonly type: "port"; readonly port: LoggedPort }
  /** The entries that are new, those that are gone with port 255 or no ports. */
  | { readonly type: "tables"; readonly tables: LoggedTables }
  | { readonly type: "address"; readonly address: AddressMessage }
  | { readonly type: "paths"; readonly changed: readonly LoggedPath[]; readonly removed: readonly LoggedPathKey[] }
  /** What the built-in subnet manager has found or done; `name` is a link end or a multicast GID. */
  | {
      readonly type: "sm";
      readonly change: "port-in" | "port-out" | "group-created" | "group-deleted" | "taken-over";
      readonly name?: string;
    }
  /** How the built-in SA treats requests from now on; `delayMs` of the mode `slow`. */
  | { readonly type: "sa"; readonly mode: SaMode; readonly delayMs?: number }
  /** Handed to the programs on the node. */
  | { readonly type: "async-event"; readonly end: string; readonly event: string }
  /** A report of the SA that has arrived at the port; each repetition that arrives is an entry. `gid`: of notices 64 to 67. */
  | {
      readonly type: "notice";
      readonly end: string;
      readonly trapNumber: number;
      readonly issuerLid: number;
      readonly gid?: string;
    };

/** One line of the event log. */
export type FabricLogEntry = FabricLogFact & {
  /** Counts from 1, without gaps for a listener. A snapshot has the number of the last entry before it. */
  readonly seq: number;
  /** Milliseconds of the fabric's clock: the machine's CLOCK_MONOTONIC (`process.hrtime`), the same in every process, times the time scale. */
  readonly atMs: number;
};

import type { AddressMessage } from "../addresses/address-message.js";
import type { FabricLogEntry, LoggedPath } from "../event-log/entries.js";
import type { DropReason } from "../fabric/drop-reason.js";
import type { LinkFault } from "../faults/wire-faults.js";
import type { ReportCounters } from "../sa/report-sender.js";
import type { SaMode } from "../sa/sa-behaviour.js";
import type { SaCounter } from "../sa/sa-counters.js";
import type { SaRequester } from "../sa/sa-requesters.js";

/** Version of the control protocol; both sides must have the same. */
export const CONTROL_VERSION = 1;

/** File name of the control socket inside the fabric's directory. */
export const CONTROL_SOCKET_NAME = "control.sock";

/** Longest request line in bytes. */
export const MAX_CONTROL_LINE = 65_536;

/** A request: one line of JSON. `v`, if given, must be `CONTROL_VERSION`. `end` is `NODE` or `NODE[PORT]`. */
export type ControlRequest =
  | { readonly op: "status" }
  | { readonly op: "topology" }
  | { readonly op: "link"; readonly action: "up" | "down"; readonly end: string }
  /** Down and up again `times` times (default 1), each for `downMs` (default 100). */
  | {
      readonly op: "link";
      readonly action: "flap";
      readonly end: string;
      readonly downMs?: number;
      readonly times?: number;
    }
  /** `delayMs`: how late a `slow` SA answers, default 3000. */
  | { readonly op: "sa"; readonly mode: SaMode; readonly durationMs?: number; readonly delayMs?: number }
  /** `hand-over`: the manager and SA move to `end`, another port of the subnet. */
  | { readonly op: "sm"; readonly action: "reregister" | "sweep" | "hand-over"; readonly end?: string }
  | { readonly op: "lid"; readonly action: "change"; readonly end: string }
  /** Members that are not given are 0. Without `end`: all link ends that have no fault of their own. */
  | ({ readonly op: "fault"; readonly action: "set"; readonly end?: string } & Partial<LinkFault>)
  /** Without `end`: every fault. */
  | { readonly op: "fault"; readonly action: "clear"; readonly end?: string }
  | { readonly op: "fault"; readonly action: "list" }
  | { readonly op: "node"; readonly action: "describe"; readonly node: string; readonly text: string }
  | { readonly op: "node"; readonly action: "remove" | "restore"; readonly node: string }
  /** Away for `downMs`, default 1000. */
  | { readonly op: "node"; readonly action: "reboot"; readonly node: string; readonly downMs?: number }
  /** Makes a one-way route; the next sweep repairs it. */
  | { readonly op: "route"; readonly action: "cut"; readonly from: string; readonly to: string }
  | {
      readonly op: "addr";
      readonly action: "add" | "del" | "move";
      /** Not needed to delete. */
      readonly node?: string;
      /** `IP/PREFIX`; to delete and move the prefix may be left out. */
      readonly address: string;
      readonly pkey?: string;
    }
  | { readonly op: "addresses"; readonly node?: string; readonly watch?: boolean }
  | { readonly op: "routes"; readonly from: string; readonly to: string }
  /** A link raises a trap: 129 link integrity, 130 buffer overrun, 131 flow control watchdog. */
  | { readonly op: "trap"; readonly end: string; readonly trap: number }
  /** Entry `index` (1 to 31) of the GID table of a host port; no `guid` frees it. */
  | { readonly op: "gid"; readonly end: string; readonly index: number; readonly guid?: string }
  /** Entry `index` of the P_Key table of a host port; no `pkey` frees it. */
  | { readonly op: "pkey"; readonly end: string; readonly index: number; readonly pkey?: string }
  | { readonly op: "counters" }
  /** Paths that packets would arrive by now; `from` and `to` name host ports, without one all are meant. */
  | { readonly op: "paths"; readonly from?: string; readonly to?: string }
  /** With `watch`: a stream of the event log, beginning with a snapshot. */
  | { readonly op: "events"; readonly watch?: boolean }
  | ({ readonly op: "trace" } & TraceSelection)
  | ({ readonly op: "send" } & SendRequest);

/** A packet that the fabric shall send as if a program had. */
export interface SendRequest {
  /** Port it leaves from: of a host, or port 0 of a switch. */
  readonly from: string;
  /** A LID, or a port that has one. Needed with `mad`, except for directed routes. */
  readonly to?: string;
  /**
   * 24 to 256 bytes in hexadecimal, padded with zeros; a packet is put around it as its class wants it. A transaction id of 0 is replaced by one
   * that nobody else has.
   */
  readonly mad?: string;
  /** Instead of `mad`: all bytes from the LRH on, without CRCs; sent as they are. */
  readonly packet?: string;
  /** Default 0xffff. */
  readonly pkey?: string;
  readonly sl?: number;
  /** Destination queue pair; default as the class wants it, 0xffffff to a multicast LID. */
  readonly qpn?: number;
  readonly qkey?: number;
  /** Waits so long for the answer to a MAD. */
  readonly waitMs?: number;
}

/** Answer to `send`; packets and MADs in hexadecimal. */
export interface SendResult {
  /** The packet as it was sent. */
  readonly bytes: string;
  /** The MAD that answered. Of an answer in several segments the first. */
  readonly answer?: string;
}

/** What happens to a packet: put on the wire, carried over a link, delivered to a port, ended before its destination. */
export type TraceEventName = "send" | "forward" | "deliver" | "drop";

/** Which packets a trace shows; what is left out does not matter. */
export interface TraceSelection {
  /** Events at this node, or on a link of it. */
  readonly node?: string;
  /** Events at ports of this number. */
  readonly port?: number;
  /** Management class: `SA`, `SM` (both), `Perf`, …, or a number such as `0x2c`. */
  readonly class?: string;
  /** Attribute: `PathRecord`, …, or a number. */
  readonly attribute?: string;
  readonly events?: readonly TraceEventName[];
}

/** State of one link end. */
export interface PortStatus {
  /** `H1[1]`. */
  readonly end: string;
  readonly guid: string;
  /** Base LID. */
  readonly lid: number;
  /** LID mask control: the port has 2^lmc LIDs. */
  readonly lmc: number;
  readonly state: "down" | "init" | "armed" | "active";
  /** `4xEDR`. */
  readonly rate: string;
  /** The other end of the cable. */
  readonly peer?: string;
}

/** One node. */
export interface NodeStatus {
  readonly id: string;
  readonly kind: "ca" | "switch" | "router";
  readonly description: string;
  readonly guid: string;
  readonly ports: readonly PortStatus[];
}

/** Answer to `status`. */
export interface FabricStatus {
  readonly protocol: number;
  readonly dir: string;
  /** Who manages the fabric. */
  readonly management: "builtin" | "opensm";
  /** The port that the hosts take for their subnet manager's; `end` is empty and `lid` 0 while there is none. */
  readonly sm: { readonly end: string; readonly lid: number; readonly guid: string };
  readonly sa: { readonly mode: SaMode };
  readonly counts: {
    readonly hosts: number;
    readonly switches: number;
    readonly links: number;
    readonly linksDown: number;
    readonly multicastGroups: number;
    readonly addresses: number;
  };
  /** Programs attached through libfabricsim.so. */
  readonly programs: readonly object[];
  /** Cabled ports of all nodes. */
  readonly nodes: readonly NodeStatus[];
}

/** A fault of the packets that leave `end`, or all ends without one of their own. */
export interface FaultStatus extends LinkFault {
  readonly end?: string;
}

/** One step of a route: out of `from` into `to`, both `NODE[PORT]`. */
export interface RouteHop {
  readonly from: string;
  readonly to: string;
}

/** Answer to `routes`. */
export interface RouteResult {
  readonly slid: number;
  readonly dlid: number;
  readonly hops: readonly RouteHop[];
  /** True if a packet arrives; else `reason` says why not. */
  readonly arrives: boolean;
  readonly reason?: string;
}

/** Answer to `counters`. */
export interface CountersResult {
  readonly sa: readonly SaCounter[];
  readonly saUnanswered: number;
  readonly saBusy: number;
  /** Who asked what; requests that were refused with BUSY or not answered are not in it. */
  readonly requesters: readonly SaRequester[];
  /** Notices to subscribers. */
  readonly reports: ReportCounters;
}

/** Answer to `paths`. */
export interface PathsResult {
  /** Number of the last entry of the event log, which these paths include; 0 while nobody listens to it. */
  readonly seq: number;
  readonly paths: readonly LoggedPath[];
}

/** One entry of the event log in the stream of `events`. */
export interface EventMessage {
  readonly type: "event";
  readonly entry: FabricLogEntry;
}

/** Ends the first listing of a watch; changes follow. */
export interface SyncedMessage {
  readonly type: "synced";
}

/** A packet in the stream of `trace`. */
export interface TracePacketMessage {
  readonly type: "packet";
  /** The same for all events of one packet, counted from 1 in the order in which this trace saw them. */
  readonly number: number;
  readonly event: TraceEventName;
  /** The fabric's clock; monotonic. */
  readonly timeMs: number;
  /** Time of day: milliseconds since 1970. */
  readonly epochMs: number;
  /** Where: `NODE[PORT]`; of `forward` where it leaves. */
  readonly port: string;
  /** Of `forward`: where it goes in. */
  readonly peer?: string;
  /** Of `drop`. */
  readonly reason?: DropReason;
  /** Ports that have the source and the destination LID. */
  readonly from?: string;
  readonly to?: string;
  /** The packet in hexadecimal, from the LRH on, without CRCs; `describePacket` reads it. */
  readonly bytes: string;
}

/** Stands for packets that the reader of a trace was too slow for. */
export interface TraceLostMessage {
  readonly type: "lost";
  readonly count: number;
}

/** A request that was carried out. */
export interface ResultMessage {
  readonly type: "result";
  readonly v: number;
  readonly result: unknown;
}

/** A request that was not. `code` is one of this package's error codes. */
export interface ErrorMessage {
  readonly type: "error";
  readonly v: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** Everything that comes from a fabric, one line of JSON each. */
export type ControlMessage =
  | AddressMessage
  | SyncedMessage
  | EventMessage
  | TracePacketMessage
  | TraceLostMessage
  | ResultMessage
  | ErrorMessage;

/** Which result belongs to which request. */
export interface ControlResults {
  readonly status: FabricStatus;
  readonly topology: { readonly text: string };
  readonly link: { readonly ports: readonly PortStatus[] };
  readonly sa: { readonly mode: SaMode };
  readonly sm: { readonly lid: number };
  readonly lid: { readonly port: PortStatus };
  readonly fault: { readonly faults: readonly FaultStatus[] };
  readonly node: { readonly node: NodeStatus };
  /** The way as it is then. */
  readonly route: RouteResult;
  readonly addr: { readonly addresses: readonly AddressMessage[] };
  readonly addresses: { readonly addresses: readonly AddressMessage[] };
  readonly routes: RouteResult;
  /** False: the node knows no subnet manager. */
  readonly trap: { readonly sent: boolean };
  /** The table as it is then; `::` is a free entry. */
  readonly gid: { readonly gids: readonly string[] };
  /** The table as it is then; `0x0000` is a free entry. */
  readonly pkey: { readonly pkeys: readonly string[] };
  readonly counters: CountersResult;
  readonly paths: PathsResult;
  readonly events: { readonly seq: number };
  /** A stream, not a result: see `SimControlClient.trace`. */
  readonly trace: never;
  readonly send: SendResult;
}

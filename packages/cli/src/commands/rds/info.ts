import { createHost } from "@verbena/core";
import type { ConnectionInfo, QueuedMessageInfo, SocketBackend, TransportInfoLists } from "@verbena/core/sdk";
import { KernelTransport, RdsAddress } from "@verbena/rds";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { renderTable } from "../../output/table.js";

/** Lists, by the letters of rds-info. */
export interface InfoOptions {
  readonly json?: boolean;
  readonly counters?: boolean;
  readonly sockets?: boolean;
  readonly connections?: boolean;
  readonly receiveQueues?: boolean;
  readonly sendQueues?: boolean;
  readonly retransmitQueues?: boolean;
  readonly tcp?: boolean;
}

type Lists = { readonly [Name in keyof TransportInfoLists]?: TransportInfoLists[Name] };

/** What the kernel's RDS shows of itself. Without a choice, everything. */
export async function infoRds(options: InfoOptions, io: Io): Promise<ExitCode> {
  const host = createHost();
  try {
    const transport = new KernelTransport({ sockets: host.native.kernelRds, clock: host.clock });
    const nothing = () => undefined;
    const socket = transport.openSocket({ readable: nothing, writable: nothing, uncongested: nothing });
    try {
      const lists = await read(socket, chosen(options));
      io.out(options.json === true ? `${JSON.stringify(lists, asText)}\n` : describe(lists));
    } finally {
      await socket.close();
    }
  } finally {
    await host.close();
  }
  return EXIT.OK;
}

function chosen(options: InfoOptions): readonly (keyof TransportInfoLists)[] {
  const wanted = [
    ["counters", options.counters],
    ["sockets", options.sockets],
    ["connections", options.connections],
    ["receiveQueue", options.receiveQueues],
    ["sendQueue", options.sendQueues],
    ["retransmitQueue", options.retransmitQueues],
    ["tcpSockets", options.tcp],
  ] as const;
  const named = wanted.filter(([, isWanted]) => isWanted === true);
  return (named.length > 0 ? named : wanted).map(([name]) => name);
}

async function read(socket: SocketBackend, names: readonly (keyof TransportInfoLists)[]): Promise<Lists> {
  const entries = names.map(async (name) => [name, await socket.info(name)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

const asText = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

/** Tables, in the order and under the headings of rds-info. */
function describe(lists: Lists): string {
  const { counters, sockets, connections, receiveQueue, sendQueue, retransmitQueue, tcpSockets } = lists;
  const parts = [
    counters &&
      section(
        "Counters",
        ["CounterName", "Value"],
        counters.map(({ name, value }) => [name, String(value)]),
      ),
    sockets &&
      section(
        "RDS Sockets",
        ["BoundAddr", "BPort", "ConnAddr", "CPort", "SndBuf", "RcvBuf", "Inode"],
        sockets.map(({ bound, connected, sendBufferSize, receiveBufferSize, inode }) => [
          bound.address,
          String(bound.port),
          connected?.address ?? "-",
          String(connected?.port ?? 0),
          ...[sendBufferSize, receiveBufferSize, inode].map(String),
        ]),
      ),
    connections &&
      section(
        "RDS Connections",
        ["LocalAddr", "RemoteAddr", "Tos", "NextTX", "NextRX", "Flags", "Transport"],
        connections.map((connection) => [
          connection.local,
          connection.remote,
          ...[connection.tos, connection.nextTx, connection.nextRx].map(String),
          flags(connection),
          connection.transport,
        ]),
      ),
    receiveQueue && queue("Receive Message Queue", receiveQueue),
    sendQueue && queue("Send Message Queue", sendQueue),
    retransmitQueue && queue("Retransmit Message Queue", retransmitQueue),
    tcpSockets &&
      section(
        "TCP Connections",
        ["LocalAddr", "LPort", "RemoteAddr", "RPort", "HdrRemain", "DataRemain", "SentNxt", "ExpectUna", "SeenUna"],
        tcpSockets.map((socket) => [
          socket.local,
          String(socket.localPort),
          socket.remote,
          ...[socket.remotePort, socket.headerRemaining, socket.dataRemaining].map(String),
          ...[socket.lastSentNext, socket.lastExpectedUna, socket.lastSeenUna].map(String),
        ]),
      ),
  ];
  return parts.filter((part) => part !== undefined).join("\n");
}

const section = (title: string, header: readonly string[], rows: readonly (readonly string[])[]): string =>
  `${title}:\n${renderTable(header, rows)}`;

const queue = (title: string, messages: readonly QueuedMessageInfo[]): string =>
  section(
    title,
    ["Local", "Remote", "Tos", "Seq", "Bytes"],
    messages.map(({ local, remote, tos, sequence, length }) => [
      RdsAddress.format(local),
      RdsAddress.format(remote),
      ...[tos, sequence, length].map(String),
    ]),
  );

/** s sending, c connecting, C connected. */
const flags = ({ isSending, isConnecting, isConnected }: ConnectionInfo): string =>
  `${isSending ? "s" : "-"}${isConnecting ? "c" : "-"}${isConnected ? "C" : "-"}`;

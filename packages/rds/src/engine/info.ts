import type { ConnectionInfo, QueuedMessageInfo, SocketInfo, TransportInfoLists } from "@verbena/core/sdk";
import type { IpAddress } from "@verbena/ib";
import { errnoError } from "../errors.js";
import type { Sequence } from "../wire/sequence.js";
import { listCounters } from "./counters.js";
import type { Engine } from "./engine.js";
import type { LocalAddress } from "./local-address.js";
import type { OutgoingMessage } from "./outgoing-message.js";
import type { Peer } from "./peer.js";

type Lists = { readonly [List in keyof TransportInfoLists]: (engine: Engine) => TransportInfoLists[List] };

/** One of the lists an engine can show of itself. */
export function listInfo<List extends keyof TransportInfoLists>(engine: Engine, list: List): TransportInfoLists[List] {
  return LISTS[list](engine);
}

/** Throws `VERBENA_RDS_EINVAL` for what is no name of a list. */
export function checkList(list: string): void {
  if (Object.hasOwn(LISTS, list)) return;
  const reason = `there is no list ${JSON.stringify(list)}: they are ${Object.keys(LISTS).join(", ")}`;
  throw errnoError("EINVAL", { reason });
}

const LISTS: Lists = {
  counters: ({ counters, locals }) =>
    listCounters(
      counters,
      [...locals.values()].map(({ transport }) => transport?.counters?.() ?? []),
    ),
  connections: ({ locals }) => [...locals.values()].flatMap(connections),
  sendQueue: ({ locals }) => queued(locals, (peer) => peer.queues.waiting()),
  retransmitQueue: ({ locals }) => queued(locals, (peer) => peer.queues.unacked()),
  receiveQueue: ({ sockets }) =>
    [...sockets].flatMap(({ address, waiting }) =>
      address === undefined
        ? []
        : [...waiting].map(({ sequence, length, source }) => ({
            sequence: BigInt(sequence),
            length,
            local: address,
            remote: source,
            tos: 0,
          })),
    ),
  sockets: ({ sockets }) =>
    [...sockets].flatMap(({ address, limits, connected, inode }): readonly SocketInfo[] =>
      address === undefined
        ? []
        : [
            {
              sendBufferSize: limits.sendBufferSize,
              receiveBufferSize: limits.receiveBufferSize,
              bound: address,
              connected,
              inode,
            },
          ],
    ),
  tcpSockets: ({ locals }) => [...locals.values()].flatMap(({ transport }) => transport?.tcpSockets?.() ?? []),
};

function connections(at: LocalAddress): readonly ConnectionInfo[] {
  const internal = [...at.internal].map(
    ([remote, next]): ConnectionInfo => ({
      local: at.local.address,
      remote: remote.split("%")[0] as IpAddress,
      transport: "loopback",
      nextTx: BigInt(next),
      nextRx: BigInt(next),
      isSending: false,
      isConnecting: false,
      isConnected: true,
      tos: 0,
    }),
  );
  return [...internal, ...[...at.peers.values()].map((peer) => peer.info(at.transportName))];
}

function queued(
  locals: ReadonlyMap<string, LocalAddress>,
  queue: (peer: Peer) => Iterable<readonly [OutgoingMessage, Sequence]>,
): readonly QueuedMessageInfo[] {
  return [...locals.values()].flatMap(({ local, peers }) =>
    [...peers.values()].flatMap((peer) =>
      [...queue(peer)].map(([message, sequence]) => ({
        sequence: BigInt(sequence),
        length: message.length,
        local: { ...local, port: message.sourcePort },
        remote: { ...peer.remote, port: message.destinationPort },
        tos: 0,
      })),
    ),
  );
}

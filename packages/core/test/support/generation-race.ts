import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { emptyPathRecord, Lid, type PathRecord } from "@verbena/ib";
import { gid, HOST, named, nodeGuid } from "./engine-bench.js";
import { startFrontRig } from "./front-rig.js";

const REQUEST_SIZE = 160;
const REPLY_SIZE = 88;
const IN_FLIGHT = 32;
const CONNECTIONS = 4;
const NAMES = 8;
/** Offset of the word with the flow label in a RESOLVE reply: header, flags and type of its record, 44 bytes into the path. */
const FLOW_OFFSET = 16 + 8 + 44;
const MAX_FLOW_LABEL = 0xfffff;

/** What a race has come to. */
export interface RaceResult {
  readonly requests: number;
  /** Requests that came through to JavaScript. */
  readonly handled: number;
  readonly invalidations: number;
  /** Answers older than the last invalidation that had returned before their request was sent. */
  readonly stale: readonly string[];
}

/**
 * Clients ask for names while a name after the other is flushed: the provider writes its generation into the flow label of the path, and counts
 * it up with each flush. Every answer must be of the generation of the name's last flush before it was asked for, or of a later one.
 */
export async function raceGenerations(path: string, requests: number, random: () => number): Promise<RaceResult> {
  const rig = await startFrontRig(path, { addressTtlMs: Infinity, routeTtlMs: Infinity });
  const generations = new Array<number>(NAMES).fill(1);
  const stale: string[] = [];
  let [invalidations, sent, answered] = [0, 0, 0];
  rig.provider.address = (to) => {
    const number = Number(/\d+$/.exec(to.text)?.[0]);
    return Promise.resolve({ path: pathOf(number, generations[number] ?? 0) });
  };
  /** Names and least generations by transaction id. */
  const due = new Map<number, { readonly name: number; readonly least: number }>();
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(path)));
  const send = (socket: Socket, count: number): void => {
    const messages = Array.from({ length: Math.min(count, requests - sent) }, () => {
      const name = Math.floor(random() * NAMES);
      sent += 1;
      due.set(sent, { name, least: generations[name] ?? 0 });
      return resolveRequest(`node${String(name)}`, sent);
    });
    if (messages.length > 0) socket.write(Buffer.concat(messages));
  };
  await new Promise<void>((resolve, reject) => {
    for (const socket of sockets) {
      let rest: Buffer = Buffer.alloc(0);
      socket.on("error", reject);
      socket.on("data", (piece: Buffer) => {
        rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
        let at = 0;
        for (; at + REPLY_SIZE <= rest.length; at += REPLY_SIZE) {
          answered += 1;
          const tid = rest.readUInt32LE(at + 8);
          const flowLabel = (rest.readUInt32BE(at + FLOW_OFFSET) >>> 8) & MAX_FLOW_LABEL;
          const { name = -1, least = Infinity } = due.get(tid) ?? {};
          due.delete(tid);
          if (rest[at + 2] !== 0 || flowLabel < least)
            stale.push(`node${String(name)}: generation ${String(flowLabel)}, not ${String(least)}`);
        }
        rest = rest.subarray(at);
        send(socket, at / REPLY_SIZE);
        if (answered === requests) resolve();
        // The next requests are with the front end already, and run into this.
        if (random() < 0.2) {
          const name = Math.floor(random() * NAMES);
          generations[name] = (generations[name] ?? 0) + 1;
          rig.engine.flush(named(`node${String(name)}`));
          invalidations += 1;
        }
      });
      send(socket, IN_FLIGHT);
    }
  });
  for (const socket of sockets) socket.destroy();
  const handled = rig.handled();
  const { resolve: counted } = await rig.client.perf();
  if (counted !== requests) stale.push(`${String(counted)} requests were counted, not ${String(requests)}`);
  await rig.close();
  return { requests, handled, invalidations, stale };
}

async function open(path: string): Promise<Socket> {
  const socket = connect(path);
  await once(socket, "connect");
  return socket;
}

/** RESOLVE from `host1` by name, as stock clients send it but for the transaction id. */
function resolveRequest(destination: string, tid: number): Buffer {
  const message = Buffer.alloc(REQUEST_SIZE);
  message.set([1, 1]);
  message.set(new Uint8Array(Uint16Array.of(REQUEST_SIZE).buffer), 6);
  message.writeUInt32LE(tid, 8);
  for (const [at, flag, name] of [
    [16, 1, "host1"],
    [88, 2, destination],
  ] as const) {
    message.set(new Uint8Array(Uint32Array.of(flag).buffer), at);
    message.set(new Uint8Array(Uint16Array.of(1).buffer), at + 4);
    message.write(name, at + 8);
  }
  return message;
}

function pathOf(number: number, flowLabel: number): PathRecord {
  return emptyPathRecord({
    dgid: gid(nodeGuid(number)),
    sgid: gid(HOST),
    dlid: Lid.from(100 + number),
    slid: Lid.from(2),
    flowLabel,
  });
}

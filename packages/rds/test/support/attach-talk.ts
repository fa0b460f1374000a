import { IpAddress } from "@verbena/ib";
import type { AttachLink, LinkEvents } from "../../src/attach/link/attach-link.js";
import { clientFrame, dataFrame } from "../../src/attach/protocol/client-frames.js";
import { preamble } from "../../src/attach/protocol/frame-parts.js";
import { LISTS } from "../../src/attach/protocol/layout.js";
import { serverFrame } from "../../src/attach/protocol/server-frames.js";

/** One connection, whose other side is a test. */
export class Talk {
  /** Pieces that came from the side that is tested. */
  heard = 0;
  isOver = false;
  #events: LinkEvents | undefined;

  readonly connect = (events: LinkEvents): AttachLink => {
    this.#events = events;
    return {
      send: () => {
        this.heard += 1;
      },
      backlog: 0,
      pause: () => undefined,
      resume: () => undefined,
      end: () => {
        this.isOver = true;
      },
      destroy: () => {
        this.isOver = true;
      },
    };
  };

  /** Says this in pieces of any size. */
  say(bytes: Buffer, random: () => number): void {
    for (let at = 0; at < bytes.length && !this.isOver; ) {
      const end = random() < 0.5 ? bytes.length : Math.min(bytes.length, at + 1 + Math.floor(random() * bytes.length));
      this.#events?.received(Buffer.from(bytes.subarray(at, end)));
      at = end;
    }
  }

  hangUp(): void {
    this.#events?.closed(undefined);
  }
}

/** What is said to begin with, and then. */
export interface Conversation {
  readonly opening: Buffer;
  readonly rest: Buffer;
}

const LOCAL = { address: IpAddress.parse("10.0.0.5"), port: 4000, scopeId: 0 };
const ADDRESSES = ["10.0.0.5", "10.0.0.6", "10.0.0.9", "10.0.0.77", "224.0.0.1", "::1"].map((text) =>
  IpAddress.parse(text),
);
const PEER = IpAddress.parse("10.0.0.9");

/** A program's side: mostly right to begin with, then anything. */
export function programTalk(random: () => number): Conversation {
  const below = (count: number): number => Math.floor(random() * count);
  const end = () => ({ address: ADDRESSES[below(ADDRESSES.length)] ?? LOCAL.address, port: below(8), scopeId: 0 });
  const settings = () => ({
    sendBufferSize: below(2 ** below(33)),
    receiveBufferSize: below(2 ** below(33)),
    timestamps: random() < 0.5,
    monitors: random() < 0.5,
    connected: random() < 0.5 ? end() : undefined,
  });
  const modest = { ...settings(), sendBufferSize: 3000, receiveBufferSize: 2000, connected: undefined };
  // The first ones come most often; they are right more often than not, so that a conversation gets somewhere.
  const kinds: readonly (() => Buffer)[] = [
    () => dataFrame(below(4), Buffer.alloc(below(1000))),
    () => dataFrame(below(4), Buffer.alloc(0)),
    () => clientFrame.settings({ ...modest, monitors: random() < 0.5, sendBufferSize: 3000 + below(3000) }),
    () => clientFrame.info(below(5), LISTS[below(LISTS.length)] ?? "counters"),
    () => clientFrame.read(random() < 0.8 ? 0 : 1),
    () => clientFrame.cancel(random() < 0.5 ? end() : undefined),
    () => clientFrame.destination(below(40), end()),
    () => dataFrame(below(5), Buffer.alloc(below(20_000))),
    () => clientFrame.forget(below(5)),
    () => clientFrame.settings(settings()),
    () => clientFrame.bind(LOCAL, settings()),
  ];
  const opening = Buffer.concat([preamble(), clientFrame.bind(LOCAL, random() < 0.9 ? modest : settings())]);
  // To itself, to another port of the same stack, to a peer, to nobody.
  const known = Buffer.concat(
    [4000, 2, 60_002].map((port, handle) => clientFrame.destination(handle, { ...LOCAL, port })),
  );
  return {
    opening: random() < 0.9 ? opening : mutated(opening, random),
    rest: Buffer.concat([known, clientFrame.destination(3, { ...LOCAL, address: PEER }), talk(kinds, random)]),
  };
}

/** A stack's side. */
export function stackTalk(random: () => number): Conversation {
  const below = (count: number): number => Math.floor(random() * count);
  const limits = () => ({
    maxMessageSize: below(2 ** below(33)),
    maxBufferSize: below(2 ** below(33)),
    maxMessages: below(10),
    maxDestinations: below(3),
    emptyNeedsRoom: random() < 0.5,
  });
  const message = (): Buffer => {
    const data = Buffer.alloc(below(100));
    const control = random() < 0.5 ? [] : [{ type: "timestamp" as const, ns: BigInt(below(2 ** 40)) }];
    return Buffer.concat([
      serverFrame.message({ type: "message", data, length: data.length, source: LOCAL, control }),
      data,
    ]);
  };
  const kinds: readonly (() => Buffer)[] = [
    message,
    () => serverFrame.released(below(2), below(2)),
    message,
    () => serverFrame.state(below(4), (["free", "congested", "no-room"] as const)[below(3)] ?? "free"),
    () => serverFrame.freed(BigInt(below(2 ** 40))),
    () => serverFrame.infoPart(random() < 0.8 ? 1 : below(3), random() < 0.5, Buffer.from('{"list":[]}')),
    () => serverFrame.bound(LOCAL, "tcp"),
    () => serverFrame.welcome(limits()),
    () => serverFrame.refused(undefined, "no"),
    () => serverFrame.end("no"),
  ];
  const plenty = {
    maxMessageSize: 1000,
    maxBufferSize: 10_000,
    maxMessages: 10,
    maxDestinations: 3,
    emptyNeedsRoom: true,
  };
  const opening = Buffer.concat([
    preamble(),
    serverFrame.welcome(random() < 0.9 ? plenty : limits()),
    serverFrame.bound(LOCAL, "tcp"),
  ]);
  return {
    opening: random() < 0.9 ? opening : mutated(opening, random),
    rest: talk(kinds, random),
  };
}

/** Some frames, the first kinds more often than the last, and now and then a fault. */
function talk(kinds: readonly (() => Buffer)[], random: () => number): Buffer {
  const frames = Array.from({ length: 1 + Math.floor(random() * 12) }, () => {
    const kind = kinds[Math.floor(random() ** 3 * kinds.length)];
    return kind?.() ?? Buffer.alloc(0);
  });
  const all = Buffer.concat(frames);
  return random() < 0.5 ? all : mutated(all, random);
}

function mutated(bytes: Buffer, random: () => number): Buffer {
  const below = (count: number): number => Math.floor(random() * count);
  for (let faults = 1 + below(3); faults > 0; faults -= 1) {
    const at = below(bytes.length);
    switch (below(4)) {
      case 0:
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << below(8)), at);
        break;
      case 1:
        bytes.writeUInt8(below(256), at);
        break;
      case 2:
        bytes.copyWithin(at, below(bytes.length));
        break;
      default:
        if (at + 4 <= bytes.length) bytes.writeUInt32BE(below(2 ** below(33)), at);
    }
  }
  return bytes;
}

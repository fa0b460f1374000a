import { crc32 } from "node:zlib";
import type { RdsSocket } from "@verbena/rds";

const HEAD = 8;
const MIB = 1 << 20;

/** Chance that repeats itself: numbers in [0, 1). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Bytes that messages are cut from. */
const POOL = Buffer.from(Array.from({ length: 4096 }, seeded(1)).flatMap((value) => [value * 256, value * 65_536]));
const pool = Buffer.alloc(2 * MIB, POOL);

/** Messages with a number, random bytes and their checksum: 99 of 100 up to 8 KiB long, the others up to 1 MiB. */
export function* numbered(count: number, seed: number): Generator<Buffer> {
  const random = seeded(seed);
  for (let number = 0; number < count; number++) {
    const most = random() < 0.01 ? MIB - HEAD : 8192 - HEAD;
    const at = Math.floor(random() * MIB);
    const message = Buffer.concat([Buffer.alloc(HEAD), pool.subarray(at, at + Math.floor(random() * most))]);
    message.writeUInt32BE(number);
    message.writeUInt32BE(crc32(message.subarray(HEAD)), 4);
    yield message;
  }
}

/** Sends all of them, waiting for room where there is none. */
export async function sendNumbered(socket: RdsSocket, to: string, count: number, seed: number): Promise<void> {
  for (const message of numbered(count, seed)) await socket.send(message, { to });
}

/** The next message's number; throws if it is not whole. */
export async function receiveNumber(socket: RdsSocket): Promise<number> {
  const item = await socket.receive();
  if (item.type !== "message") throw new Error("a congestion update came");
  if (item.data.length !== item.length) throw new Error(`${item.length} bytes came, ${item.data.length} were taken`);
  if (crc32(item.data.subarray(HEAD)) !== item.data.readUInt32BE(4))
    throw new Error("a message came that is not whole");
  return item.data.readUInt32BE();
}

/** Receives `count` messages; throws at the first that is not the next. */
export async function receiveNumbered(socket: RdsSocket, count: number): Promise<void> {
  for (let expected = 0; expected < count; expected++) {
    const number = await receiveNumber(socket);
    if (number !== expected) throw new Error(`message ${number} came instead of ${expected}`);
  }
}

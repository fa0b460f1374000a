import { createHash } from "node:crypto";
import { access, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { openEnd } from "./connection.js";
import { ofFile, TransferError, toldOf } from "./errors.js";
import { offerOf } from "./introduction.js";

/** Bytes of a SHA-256. */
const DIGEST_SIZE = 32;

/**
 * Receives one file into `folder`; resolves with its path and size when the sender has hung up. A failure is told to the sender, too. The file
 * has its name only when it is whole; there must be none of that name.
 * @param {string} folder
 * @param {import("./introduction.js").Line} line to the sender
 * @param {import("./arguments.js").Options} options
 */
export async function receiveFile(folder, line, options) {
  try {
    const { name, size, address } = offerOf(await line.hear());
    const path = join(folder, name);
    await mustNotBe(path);
    // A message takes a receive before its slot is given back, and receives are posted again some at a time: twice as many are always enough.
    const end = await openEnd(options, { sends: options.slots, receives: 2 * options.slots });
    try {
      const gone = line.hungUp();
      await intoFile(path, async (file) => {
        const taken = takeAll(await offerRing(end, address, line, options), file, size);
        await Promise.race([taken, gone.then(lost)]);
      });
      line.say({ received: size });
      // The connection stays until then: the sender's last message may not be acknowledged yet.
      await gone;
    } finally {
      await end.close();
    }
    return { path, size };
  } catch (error) {
    line.say({ error: toldOf(error) });
    throw error;
  }
}

/** @param {string} path */
async function mustNotBe(path) {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw new TransferError("TRANSFER_FILE", `${path} is there already`);
}

/**
 * Makes the file under another name, which it changes when `write` has written it.
 * @param {string} path
 * @param {(file: import("node:fs/promises").FileHandle) => Promise<void>} write
 */
async function intoFile(path, write) {
  const part = `${path}.part`;
  const file = await ofFile(open(part, "wx"));
  try {
    await write(file);
    await ofFile(file.close());
    await ofFile(rename(part, path));
  } catch (error) {
    await file.close();
    await rm(part, { force: true });
    throw error;
  }
}

/**
 * What pieces come through: memory that the sender may write, and the messages that tell of it.
 * @typedef {object} Ring
 * @property {import("@verbena/native").MemoryRegion} region
 * @property {number} slotSize
 * @property {AsyncIterable<import("@verbena/native").Message>} messages
 * @property {(slots: number) => Promise<unknown>} giveBack
 */

/**
 * Connects to the sender and tells it of the ring.
 * @param {import("./connection.js").End} end
 * @param {import("./introduction.js").Address} peer
 * @param {import("./introduction.js").Line} line
 * @param {import("./arguments.js").Options} options
 * @returns {Promise<Ring>}
 */
async function offerRing({ pd, pair, address, connect }, peer, line, { slots, slotSize }) {
  const region = await pd.allocate(slots * slotSize, { access: ["local-write", "remote-write"] });
  const messages = pair.messages({ size: DIGEST_SIZE, count: 2 * slots });
  await connect(peer);
  line.say({ address, ring: { address: region.address, rkey: region.rkey, slots, slotSize } });
  return { region, slotSize, messages, giveBack: (count) => pair.send({ imm: count }) };
}

/** @returns {never} */
function lost() {
  throw new TransferError("TRANSFER_PEER", "the sender hung up");
}

/**
 * Writes the pieces to the file in the order in which they come, and gives each slot back; the last message is the checksum.
 * @param {Ring} ring
 * @param {import("node:fs/promises").FileHandle} file
 * @param {number} size bytes that are to come
 */
async function takeAll({ region, slotSize, messages, giveBack }, file, size) {
  const hash = createHash("sha256");
  let done = 0;
  /** @type {Promise<unknown>} */
  let givenBack = Promise.resolve();
  for await (const { bytes, completion } of messages) {
    const { opcode, imm: slot, byteLength } = completion;
    if (opcode === "receive") return check(hash.digest(), bytes, done, size);
    if (slot === undefined || (slot + 1) * slotSize > region.length || byteLength > slotSize) {
      throw new TransferError("TRANSFER_PEER", `slot ${slot} with ${byteLength} bytes: more than was offered`);
    }
    const piece = region.slice(slot * slotSize, byteLength).bytes;
    hash.update(piece);
    await append(file, piece);
    done += byteLength;
    await givenBack;
    givenBack = giveBack(1);
    // It is waited for before the next one; until then its failure is nobody's.
    givenBack.catch(() => {});
  }
  throw new TransferError("TRANSFER_PEER", "the connection was closed");
}

/**
 * @param {Buffer} digest of what is here
 * @param {Uint8Array} told by the sender
 * @param {number} done bytes that came
 * @param {number} size bytes that were to come
 */
function check(digest, told, done, size) {
  if (done !== size) throw new TransferError("TRANSFER_PEER", `${done} of ${size} bytes came`);
  if (!digest.equals(told)) throw new TransferError("TRANSFER_CHECKSUM", "what came is not what was sent");
}

/**
 * @param {import("node:fs/promises").FileHandle} file
 * @param {Uint8Array} bytes
 */
async function append(file, bytes) {
  for (let done = 0; done < bytes.length; ) done += (await ofFile(file.write(bytes, done))).bytesWritten;
}

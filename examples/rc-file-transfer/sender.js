import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { MOST_SLOTS } from "./arguments.js";
import { openEnd } from "./connection.js";
import { Credits } from "./credits.js";
import { ofFile, TransferError } from "./errors.js";
import { acceptanceOf } from "./introduction.js";

/** Requests that may be under way: a write from each slot and the checksum; receives as for the receiver's ring. */
const ROOM = { sends: MOST_SLOTS + 1, receives: 2 * MOST_SLOTS };

/**
 * Sends a file; resolves with its size once the receiver has it, whole.
 * @param {string} path
 * @param {import("./introduction.js").Line} line to the receiver
 * @param {import("./arguments.js").Options} options
 */
export async function sendFile(path, line, options) {
  const file = await ofFile(open(path));
  try {
    const { size } = await ofFile(file.stat());
    const end = await openEnd(options, ROOM);
    try {
      line.say({ name: basename(path), size, address: end.address });
      const { address, ring } = acceptanceOf(await line.hear());
      await end.connect(address);
      // The receiver speaks again only when it has everything, or has failed: then the sender need not go on.
      const verdict = line.hear();
      await Promise.race([writeAll(end, file, size, ring), verdict.then(notBefore)]);
      const received = (await verdict).number("received");
      if (received !== size) throw new TransferError("TRANSFER_PEER", `the receiver has ${received} of ${size} bytes`);
      return size;
    } finally {
      await end.close();
    }
  } finally {
    await file.close();
  }
}

/** What the receiver has to say can be heard before the last completion is read here: then there is that to wait for. */
const notBefore = () => new Promise(() => {});

/**
 * Reads the file piece by piece into memory that the device can read, and has it written into the receiver's slots, in turn.
 * @param {import("./connection.js").End} end
 * @param {import("node:fs/promises").FileHandle} file
 * @param {number} size bytes of the file
 * @param {import("./introduction.js").Ring} ring
 */
async function writeAll({ pd, pair }, file, size, ring) {
  const { slots, slotSize } = ring;
  const region = await pd.allocate(slots * slotSize);
  const credits = new Credits(slots, pair.messages({ size: 1, count: 2 * slots }));
  const hash = createHash("sha256");
  /** The last write from each slot. @type {Promise<unknown>[]} */
  const writes = [];
  for (let [done, slot] = [0, 0]; done < size; slot = (slot + 1) % slots) {
    // A slot can be used again when the receiver has emptied it and the device has let go of it here.
    await credits.take();
    await writes[slot];
    const data = region.slice(slot * slotSize, Math.min(slotSize, size - done));
    await fill(file, data.bytes, done);
    hash.update(data.bytes);
    const remoteAddress = ring.address + BigInt(data.offset);
    const write = pair.send({ opcode: "rdma-write", data, remoteAddress, rkey: ring.rkey, imm: slot });
    // It is waited for above or below; until then its failure is nobody's.
    write.catch(() => {});
    writes[slot] = write;
    done += data.length;
  }
  await Promise.all(writes);
  const digest = (await pd.allocate(32)).slice(0, 32);
  hash.digest().copy(digest.bytes);
  await pair.send({ data: digest });
}

/**
 * Reads exactly as many bytes as there is room for.
 * @param {import("node:fs/promises").FileHandle} file
 * @param {Uint8Array} bytes
 * @param {number} position
 */
async function fill(file, bytes, position) {
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await ofFile(file.read(bytes, done, bytes.length - done, position + done));
    if (bytesRead === 0) throw new TransferError("TRANSFER_FILE", "the file became shorter while it was read");
    done += bytesRead;
  }
}

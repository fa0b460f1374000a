// Before anything goes over verbs the two ends tell each other where they are, over TCP, each in one line of JSON; at the end the receiver says
// the same way whether the file is there.
//   sender:   { name, size, address }
//   receiver: { address, ring }            or { error }
//   receiver: { received }                 or { error }
import { Gid } from "@verbena/ib";
import { MOST_SLOTS } from "./arguments.js";
import { TransferError } from "./errors.js";

/**
 * Where a queue pair is.
 * @typedef {object} Address
 * @property {number} lid 0 on Ethernet
 * @property {number} qpn
 * @property {number} psn of the first packet that its owner sends, 24 bits
 * @property {number} mtu of its port, bytes
 * @property {Gid} gid `Gid.zero`: packets have no GRH
 */

/** @typedef {{ readonly name: string, readonly size: number, readonly address: Address }} Offer */
/** @typedef {{ readonly address: bigint, readonly rkey: number, readonly slots: number, readonly slotSize: number }} Ring memory of the receiver */
/** @typedef {{ readonly address: Address, readonly ring: Ring }} Acceptance */

/** Longest line, characters. */
const LONGEST = 4096;

const NUMBERS = /** @type {const} */ ({
  lid: 0xffff,
  qpn: 0xff_ffff,
  psn: 0xff_ffff,
  mtu: 4096,
  size: Number.MAX_SAFE_INTEGER,
  received: Number.MAX_SAFE_INTEGER,
  rkey: 0xffff_ffff,
  slots: MOST_SLOTS,
  slotSize: 2 ** 24,
});

/** @param {string} reason */
const nonsense = (reason) => new TransferError("TRANSFER_PEER", `the peer's introduction: ${reason}`);

/**
 * The members of what the peer sent: each is looked at before it is believed.
 * @param {unknown} value
 */
function membersOf(value) {
  if (typeof value !== "object" || value === null) throw nonsense(`${JSON.stringify(value)} is no object`);
  const members = /** @type {Readonly<Record<string, unknown>>} */ (value);
  return {
    /** @param {keyof typeof NUMBERS} name */
    number(name) {
      const found = members[name];
      if (typeof found === "number" && Number.isInteger(found) && found >= 0 && found <= NUMBERS[name]) return found;
      throw nonsense(`${name} is ${JSON.stringify(found)}`);
    },
    /** @param {string} name */
    text(name) {
      const found = members[name];
      if (typeof found === "string") return found;
      throw nonsense(`${name} is ${JSON.stringify(found)}`);
    },
    /** @param {string} name */
    object: (name) => membersOf(members[name]),
    /** @param {string} name */
    has: (name) => members[name] !== undefined,
  };
}

/** @typedef {ReturnType<typeof membersOf>} Members */

/**
 * @param {Members} members
 * @returns {Address}
 */
function addressOf({ number, text }) {
  const gid = Gid.tryParse(text("gid"));
  if (gid === undefined) throw nonsense(`gid is ${text("gid")}`);
  return { lid: number("lid"), qpn: number("qpn"), psn: number("psn"), mtu: number("mtu"), gid };
}

/**
 * @param {Members} members
 * @returns {Offer}
 */
export function offerOf({ number, text, object }) {
  const name = text("name");
  // It becomes the name of a file here: only that, and no way to somewhere else.
  if (name === "" || name === "." || name === ".." || /[/\\\0]/.test(name)) {
    throw nonsense(`${JSON.stringify(name)} is no name of a file`);
  }
  return { name, size: number("size"), address: addressOf(object("address")) };
}

/**
 * @param {Members} members
 * @returns {Acceptance}
 */
export function acceptanceOf({ object }) {
  const { number, text } = object("ring");
  const address = text("address");
  if (!/^0x[\da-f]{1,16}$/.test(address)) throw nonsense(`address is ${JSON.stringify(address)}`);
  const [slots, slotSize] = [number("slots"), number("slotSize")];
  if (slots === 0 || slotSize === 0) throw nonsense("a ring without room");
  return {
    address: addressOf(object("address")),
    ring: { address: BigInt(address), rkey: number("rkey"), slots, slotSize },
  };
}

/** A connection to the peer. */
export class Line {
  #socket;
  #chunks;
  #rest = "";

  /** @param {import("node:net").Socket} socket */
  constructor(socket) {
    this.#socket = socket;
    this.#chunks = socket.setEncoding("utf8")[Symbol.asyncIterator]();
  }

  /**
   * Sends a line. Big numbers are written in hexadecimal, GIDs as text.
   * @param {object} value
   */
  say(value) {
    const toText = (/** @type {string} */ key, /** @type {unknown} */ one) => {
      if (typeof one !== "bigint") return one;
      return key === "gid" ? Gid.format(Gid.from(one)) : `0x${one.toString(16)}`;
    };
    this.#socket.write(`${JSON.stringify(value, toText)}\n`);
  }

  /**
   * The next line of the peer. Rejects with `TRANSFER_PEER` if it is none or the peer hangs up, with `TRANSFER_REFUSED` if it is a failure.
   * @returns {Promise<Members>}
   */
  async hear() {
    while (!this.#rest.includes("\n")) {
      if (this.#rest.length > LONGEST) throw nonsense("a line is too long");
      const { done, value } = await this.#chunks.next().catch((cause) => {
        throw new TransferError("TRANSFER_PEER", `the peer is gone: ${cause.message}`, { cause });
      });
      if (done) throw new TransferError("TRANSFER_PEER", "the peer hung up");
      this.#rest += value;
    }
    const end = this.#rest.indexOf("\n");
    const line = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + 1);
    const members = membersOf(parse(line));
    if (!members.has("error")) return members;
    const error = members.object("error");
    throw new TransferError("TRANSFER_REFUSED", `the receiver: ${error.text("code")}: ${error.text("message")}`);
  }

  /** Resolves when the peer hangs up. */
  async hungUp() {
    while (!(await this.#chunks.next().catch(() => ({ done: true }))).done);
  }

  /** Sends what is left and hangs up. */
  close() {
    this.#socket.destroySoon();
  }
}

/** @param {string} line */
function parse(line) {
  try {
    return /** @type {unknown} */ (JSON.parse(line));
  } catch {
    throw nonsense(`no JSON: ${JSON.stringify(line.slice(0, 80))}`);
  }
}

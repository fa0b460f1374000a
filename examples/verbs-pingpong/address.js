import { Gid } from "@verbena/ib";

/**
 * Where messages to one queue pair go, as the ends tell it to each other.
 * @typedef {object} Address
 * @property {number} lid 0 on Ethernet
 * @property {number} qpn
 * @property {number} psn of the first packet that its owner sends, 24 bits
 * @property {Gid} gid `Gid.zero`: packets have no GRH
 */

const LINE = /^([\da-f]{4,8}):([\da-f]{6,8}):([\da-f]{6,8}):([\da-f]{32})\0$/;

/** @type {(value: number | bigint, digits: number) => string} */
const hex = (value, digits) => value.toString(16).padStart(digits, "0");

/** Bytes of a line. */
export const LINE_SIZE = "0000:000000:000000:00000000000000000000000000000000\0".length;

/**
 * The line by which the programs of ibverbs-utils give an address: LID, QPN, PSN and GID in hexadecimal, and a zero byte.
 * @param {Address} address
 */
export const toLine = ({ lid, qpn, psn, gid }) => `${hex(lid, 4)}:${hex(qpn, 6)}:${hex(psn, 6)}:${hex(gid, 32)}\0`;

/**
 * Reads a line.
 * @param {string} line with its zero byte
 * @returns {Address}
 */
export function fromLine(line) {
  const found = LINE.exec(line);
  if (found === null) throw new Error(`the peer sent no address: ${JSON.stringify(line)}`);
  const [, lid = "", qpn = "", psn = "", gid = ""] = found;
  return {
    lid: Number.parseInt(lid, 16),
    qpn: Number.parseInt(qpn, 16),
    psn: Number.parseInt(psn, 16),
    gid: Gid.from(BigInt(`0x${gid}`)),
  };
}

/**
 * For people.
 * @param {Address} address
 */
export const describe = ({ lid, qpn, psn, gid }) =>
  `LID 0x${hex(lid, 4)}, QPN 0x${hex(qpn, 6)}, PSN 0x${hex(psn, 6)}, GID ${Gid.format(gid)}`;

/**
 * The way to a peer, as queue pairs and address handles want it.
 * @param {Address} remote
 * @param {import("./arguments.js").Options} options
 */
export function wayTo({ lid, gid }, { ibPort, sl, gidIndex }) {
  const local = { port: ibPort, dlid: lid, sl };
  return gid === Gid.zero ? local : { ...local, grh: { dgid: gid, sgidIndex: gidIndex ?? 0, hopLimit: 1 } };
}

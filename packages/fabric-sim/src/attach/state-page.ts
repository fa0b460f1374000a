import { closeSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { Gid } from "@verbena/ib";
import type { AttachedHca, AttachedPort } from "./attach-host.js";

/** Layout of a state page, little-endian; the same numbers stand in `src/cc/state-page.h`. */
export const PAGE_MAGIC = 0x50534656; // "VFSP"
export const PAGE_VERSION = 1;
export const PAGE_HEADER_SIZE = 256;
export const PORT_RECORD_SIZE = 1024;
export const MAX_GIDS = 32;
export const MAX_PKEYS = 128;
const SEQUENCE_OFFSET = 8;
const BODY_OFFSET = 16;
const GIDS_OFFSET = 64;
const PKEYS_OFFSET = GIDS_OFFSET + MAX_GIDS * 16;
const DESCRIPTION_SIZE = 64;

/** Encodes the whole page of an HCA, sequence 0. GIDs and P_Keys beyond what a record holds are left out. */
export function encodeStatePage(hca: AttachedHca): Buffer {
  const page = Buffer.alloc(PAGE_HEADER_SIZE + hca.ports.length * PORT_RECORD_SIZE);
  page.writeUInt32LE(PAGE_MAGIC, 0);
  page.writeUInt32LE(PAGE_VERSION, 4);
  page.writeUInt32LE(page.length, 16);
  page.writeUInt32LE(hca.ports.length, 20);
  page.writeBigUInt64LE(hca.nodeGuid, 64);
  page.writeBigUInt64LE(hca.sysImageGuid, 72);
  page.writeUInt32LE(hca.vendorId, 80);
  page.writeUInt32LE(hca.deviceId, 84);
  Buffer.from(hca.nodeDescription, "utf8").copy(page, 88, 0, DESCRIPTION_SIZE);
  hca.ports.forEach((port, i) => {
    encodePort(port, page.subarray(PAGE_HEADER_SIZE + i * PORT_RECORD_SIZE));
  });
  return page;
}

function encodePort(port: AttachedPort, record: Buffer): void {
  const gids = port.gids.slice(0, MAX_GIDS);
  const pkeys = port.pkeys.slice(0, MAX_PKEYS);
  record.writeUInt32LE(port.number, 0);
  record.writeUInt16LE(port.lid, 4);
  record.writeUInt16LE(port.smLid, 6);
  record.writeUInt8(port.state, 8);
  record.writeUInt8(port.physState, 9);
  record.writeUInt8(port.lmc, 10);
  record.writeUInt8(port.smSl, 11);
  record.writeUInt8(port.mtuCap, 12);
  record.writeUInt8(port.activeMtu, 13);
  record.writeUInt8(port.width, 14);
  record.writeUInt8(port.subnetTimeout, 15);
  record.writeUInt16LE(port.speed, 16);
  record.writeUInt16LE(gids.length, 18);
  record.writeUInt16LE(pkeys.length, 20);
  record.writeUInt32LE(port.capabilityMask >>> 0, 24);
  record.writeUInt32LE(Math.round(port.rate * 10), 28);
  record.writeBigUInt64LE(port.guid, 32);
  record.writeUInt16LE(port.pkeyViolations, 40);
  record.writeUInt16LE(port.qkeyViolations, 42);
  gids.forEach((gid, i) => {
    Gid.write(record, GIDS_OFFSET + i * 16, gid);
  });
  pkeys.forEach((pkey, i) => {
    record.writeUInt16LE(pkey, PKEYS_OFFSET + i * 2);
  });
}

/**
 * The file through which programs see an HCA's state. Readers map it; the sequence number is odd while the body changes, so a
 * reader copies, compares the sequence before and after, and tries again if it moved.
 */
export class StatePageWriter {
  private readonly fd: number;
  private sequence = 0;

  /** Makes the file; it appears under its name complete. Throws the file system's error. */
  constructor(
    readonly path: string,
    private readonly hca: AttachedHca,
  ) {
    const draft = `${path}.new`;
    this.fd = openSync(draft, "w", 0o644);
    writeAll(this.fd, encodeStatePage(hca), 0);
    renameSync(draft, path);
  }

  /** Publishes the HCA's present state. */
  update(): void {
    const page = encodeStatePage(this.hca);
    this.writeSequence();
    writeAll(this.fd, page.subarray(BODY_OFFSET), BODY_OFFSET);
    this.writeSequence();
  }

  /** Closes and removes the file; programs that mapped it keep what they see. */
  close(): void {
    closeSync(this.fd);
    unlinkSync(this.path);
  }

  private writeSequence(): void {
    this.sequence = (this.sequence + 1) >>> 0;
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(this.sequence, 0);
    writeAll(this.fd, bytes, SEQUENCE_OFFSET);
  }
}

function writeAll(fd: number, bytes: Buffer, position: number): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(fd, bytes, done, bytes.length - done, position + done);
}

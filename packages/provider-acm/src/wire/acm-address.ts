import { Destination, type LocalAddress } from "@verbena/core/sdk";
import {
  ACM_ADDRESS_SIZE,
  ACM_TYPE,
  type AcmAddress,
  acmAddressOf,
  acmAddressRecord,
  Gid,
  IpAddress,
  printable,
} from "@verbena/ib";

/** An address as the protocol carries it. */
export interface AcmAddressField {
  /** See `ACM_TYPE`. */
  readonly type: number;
  /** 64 bytes, zero-padded: peers compare all of them. */
  readonly info: Buffer;
}

/** Longest name, bytes: behind it a zero fits. */
const MAX_NAME = 63;
const LID_SIZE = 2;
/** What bytes become that are no UTF-8. */
const NO_TEXT = "\ufffd";

/** What a request asks for, or who asks. Throws `VERBENA_IB_VALUE` for a name that does not fit. */
export function encodeAddress(address: Destination | LocalAddress): AcmAddressField {
  const { type, info } = acmAddressRecord(0, wireForm(address));
  return { type, info };
}

/**
 * What a peer has put into a request. `undefined` for what no peer of good will sends: unknown types, tails that are not zero (behind a name
 * they do not count), and names that are empty, too long or not printable.
 */
export function decodeAddress({ type, info }: AcmAddressField): Destination | undefined {
  const address = acmAddressOf({ type, info });
  switch (address.type) {
    case "name": {
      const { name } = address;
      const isFit =
        name !== "" && Buffer.byteLength(name) <= MAX_NAME && printable(name) === name && !name.includes(NO_TEXT);
      return isFit ? Destination.name(name) : undefined;
    }
    case "ip4":
    case "ip6":
      return isZero(info, address.address.length) ? Destination.ip(IpAddress.fromBytes(address.address)) : undefined;
    case "gid":
      return isZero(info, Gid.SIZE) ? Destination.gid(address.gid) : undefined;
    case "lid":
      return isZero(info, LID_SIZE) ? Destination.lid(address.lid) : undefined;
    case "path":
    case "unknown":
      return undefined;
    default:
      return address satisfies never;
  }
}

/** Key under which an address is compared: names without case, the others by value. */
export function addressKey(address: Destination | LocalAddress): string {
  switch (address.kind) {
    case "name":
      return `n${address.name}`;
    case "ip":
      return `i${address.address}`;
    case "gid":
      return `g${Gid.format(address.gid)}`;
    case "lid":
      return `l${String(address.lid)}`;
    default:
      return address satisfies never;
  }
}

/** The type code of a destination or local address. */
export function addressType(address: Destination | LocalAddress): number {
  switch (address.kind) {
    case "name":
      return ACM_TYPE.NAME;
    case "ip":
      return IpAddress.family(address.address) === 4 ? ACM_TYPE.IP4 : ACM_TYPE.IP6;
    case "gid":
      return ACM_TYPE.GID;
    case "lid":
      return ACM_TYPE.LID;
    default:
      return address satisfies never;
  }
}

function wireForm(address: Destination | LocalAddress): AcmAddress {
  switch (address.kind) {
    case "name":
      // As it was spelled: peers keep the spelling as part of the key.
      return { type: "name", name: address.text };
    case "ip": {
      const bytes = IpAddress.bytes(address.address);
      return { type: bytes.length === 4 ? "ip4" : "ip6", address: bytes };
    }
    case "gid":
      return { type: "gid", gid: address.gid };
    case "lid":
      return { type: "lid", lid: address.lid };
    default:
      return address satisfies never;
  }
}

function isZero(info: Buffer, from: number): boolean {
  return info.subarray(from, ACM_ADDRESS_SIZE).every((byte) => byte === 0);
}

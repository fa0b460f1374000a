import { ACM_ADDRESS_SIZE, ACM_TYPE, type AcmAddressRecord, acmAddressOf, IpAddress } from "@verbena/ib";
import { Destination } from "../sdk/destination.js";

/** Types that name a source or a destination: NAME, IPv4, IPv6, GID, LID. */
export function isAddressType(type: number): boolean {
  return type >= ACM_TYPE.NAME && type <= ACM_TYPE.LID;
}

/** IPv4 or IPv6: the types for which the engine can choose a source. */
export function isIpType(type: number): boolean {
  return type === ACM_TYPE.IP4 || type === ACM_TYPE.IP6;
}

/** What a record of an address type names. Bytes behind the address are not looked at. */
export function destinationOf(record: AcmAddressRecord): Destination {
  const address = acmAddressOf(record);
  switch (address.type) {
    case "name":
      return Destination.name(address.name);
    case "ip4":
    case "ip6":
      return Destination.ip(IpAddress.fromBytes(address.address));
    case "gid":
      return Destination.gid(address.gid);
    case "lid":
      return Destination.lid(address.lid);
    case "path":
    case "unknown":
      throw new TypeError(`record type ${record.type} names no address`);
  }
}

/** Address record of an IP, with the tail zero. */
export function ipRecord(flags: number, address: IpAddress): AcmAddressRecord {
  const info = Buffer.alloc(ACM_ADDRESS_SIZE);
  const bytes = IpAddress.bytes(address);
  bytes.copy(info);
  return { flags, type: bytes.length === 4 ? ACM_TYPE.IP4 : ACM_TYPE.IP6, info };
}

import type { McMemberRecord } from "../record/mc-member-record.js";
import type { PathRecord } from "../record/path-record.js";

/** Field name to the bits of the component mask that say "this field counts" (IBA 15.2.1.2: bit n = n-th component). */
export type ComponentTable<Field extends string = string> = Readonly<Record<Field, bigint>>;

const bit = (n: number): bigint => 1n << BigInt(n);

/** Component bits of PathRecord (IBA 15.2.5.16). The 64-bit service id is two components. */
export const PATH_RECORD_COMPONENTS: ComponentTable<Exclude<keyof PathRecord, "preference">> = {
  serviceId: 0b11n,
  dgid: bit(2),
  sgid: bit(3),
  dlid: bit(4),
  slid: bit(5),
  rawTraffic: bit(6),
  flowLabel: bit(8),
  hopLimit: bit(9),
  tclass: bit(10),
  reversible: bit(11),
  numbPath: bit(12),
  pkey: bit(13),
  qosClass: bit(14),
  sl: bit(15),
  mtuSelector: bit(16),
  mtu: bit(17),
  rateSelector: bit(18),
  rate: bit(19),
  packetLifeTimeSelector: bit(20),
  packetLifeTime: bit(21),
};

/** Component bits of MCMemberRecord (IBA 15.2.5.17). */
export const MC_MEMBER_COMPONENTS: ComponentTable<keyof McMemberRecord> = {
  mgid: bit(0),
  portGid: bit(1),
  qkey: bit(2),
  mlid: bit(3),
  mtuSelector: bit(4),
  mtu: bit(5),
  tclass: bit(6),
  pkey: bit(7),
  rateSelector: bit(8),
  rate: bit(9),
  packetLifeTimeSelector: bit(10),
  packetLifeTime: bit(11),
  sl: bit(12),
  flowLabel: bit(13),
  hopLimit: bit(14),
  scope: bit(15),
  joinState: bit(16),
  proxyJoin: bit(17),
};

/** Component bits of NodeRecord (IBA 15.2.5.2); bit 1 is reserved. */
export const NODE_RECORD_COMPONENTS = {
  lid: bit(0),
  baseVersion: bit(2),
  classVersion: bit(3),
  nodeType: bit(4),
  numPorts: bit(5),
  systemImageGuid: bit(6),
  nodeGuid: bit(7),
  portGuid: bit(8),
  partitionCap: bit(9),
  deviceId: bit(10),
  revision: bit(11),
  localPortNum: bit(12),
  vendorId: bit(13),
  nodeDescription: bit(14),
} as const satisfies ComponentTable;

/** Component bits of PortInfoRecord (IBA 15.2.5.3) ; bits 3 and up are PortInfo's fields in wire order, up to the MTU. */
export const PORT_INFO_RECORD_COMPONENTS = {
  endportLid: bit(0),
  portNum: bit(1),
  options: bit(2),
  mkey: bit(3),
  gidPrefix: bit(4),
  lid: bit(5),
  masterSmLid: bit(6),
  capabilityMask: bit(7),
  diagCode: bit(8),
  mkeyLeasePeriod: bit(9),
  localPortNum: bit(10),
  linkWidthEnabled: bit(11),
  linkWidthSupported: bit(12),
  linkWidthActive: bit(13),
  linkSpeedSupported: bit(14),
  portState: bit(15),
  portPhysicalState: bit(16),
  linkDownDefaultState: bit(17),
  mkeyProtectBits: bit(18),
  lmc: bit(20),
  linkSpeedActive: bit(21),
  linkSpeedEnabled: bit(22),
  neighborMtu: bit(23),
  masterSmSl: bit(24),
  vlCap: bit(25),
  initType: bit(26),
  vlHighLimit: bit(27),
  vlArbitrationHighCap: bit(28),
  vlArbitrationLowCap: bit(29),
  initTypeReply: bit(30),
  mtuCap: bit(31),
} as const satisfies ComponentTable;

/** Component bits of ServiceRecord (IBA 15.2.5.14); the data bits follow from bit 7 on. */
export const SERVICE_RECORD_COMPONENTS = {
  serviceId: bit(0),
  serviceGid: bit(1),
  servicePkey: bit(2),
  serviceLease: bit(4),
  serviceKey: bit(5),
  serviceName: bit(6),
} as const satisfies ComponentTable;

/** Component bits of GUIDInfoRecord (IBA 15.2.5.18). */
export const GUID_INFO_RECORD_COMPONENTS = {
  lid: bit(0),
  blockNum: bit(1),
} as const satisfies ComponentTable;

/** Component bits of InformInfoRecord (IBA 15.2.5.12). */
export const INFORM_INFO_RECORD_COMPONENTS = {
  subscriberGid: bit(0),
  subscriberEnum: bit(1),
} as const satisfies ComponentTable;

/** Reads and makes component masks of any table. */
export const ComponentMask = {
  /** Ors the bits of the named fields; fields that have no component (such as `preference`) add nothing. */
  of<F extends string>(table: ComponentTable<F>, fields: Iterable<F>): bigint {
    let mask = 0n;
    for (const field of fields) mask |= table[field];
    return mask;
  },
  /** Mask of all fields of `partial` that are not `undefined`. */
  from(table: ComponentTable, partial: Readonly<Record<string, unknown>>): bigint {
    let mask = 0n;
    for (const field in partial) if (partial[field] !== undefined) mask |= table[field] ?? 0n;
    return mask;
  },
  /** True if all bits of the field are set. */
  has<F extends string>(table: ComponentTable<F>, mask: bigint, field: F): boolean {
    return (mask & table[field]) === table[field];
  },
  /** Names of the fields that the mask selects, in the table's order. */
  fields<F extends string>(table: ComponentTable<F>, mask: bigint): F[] {
    return (Object.keys(table) as F[]).filter((field) => (mask & table[field]) === table[field]);
  },
} as const;

/** Component mask of a PathRecord query: the fields given in `partial`. */
export function pathRecordMask(partial: Partial<PathRecord>): bigint {
  return ComponentMask.from(PATH_RECORD_COMPONENTS, partial);
}

/** Component mask of an MCMemberRecord request: the fields given in `partial`. */
export function mcMemberMask(partial: Partial<McMemberRecord>): bigint {
  return ComponentMask.from(MC_MEMBER_COMPONENTS, partial);
}

/**
 * Component mask by the rule of the ACM client protocol: every field that is not zero counts, a selector included; number of paths
 * and raw traffic never do. This is the mask of a QUERY_SA request.
 */
export function pathRecordMaskOfNonZero(record: PathRecord): bigint {
  let mask = 0n;
  for (const [field, fieldBits] of Object.entries(PATH_RECORD_COMPONENTS)) {
    const value = record[field as keyof PathRecord];
    if (field !== "numbPath" && field !== "rawTraffic" && value !== 0 && value !== 0n && value !== false)
      mask |= fieldBits;
  }
  return mask;
}

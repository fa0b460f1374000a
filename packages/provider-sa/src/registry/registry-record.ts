import {
  SERVICE_RECORD_COMPONENTS as C,
  decodeServiceRecord,
  encodeServiceRecord,
  Gid,
  PKey,
  SERVICE_RECORD_SIZE,
} from "@verbena/ib";
import { serviceIdOf } from "./service-name.js";

/** Version of what is in the ServiceData; a record of another version is left to who understands it. */
export const REGISTRY_VERSION = 1;

/** What identifies a registration for the SA, together with the ServiceID that follows from the name. */
export interface RegistrationId {
  readonly serviceName: string;
  readonly gid: Gid;
  /** As {@link registryPkey} makes it. */
  readonly pkey: PKey;
}

/** One registration: an address and the port that has it. */
export interface RegistryRecord extends RegistrationId {
  /** Seconds. */
  readonly leaseSeconds: number;
  /** Grows with each port that takes the address over: the highest is the newest. 32 bits. */
  readonly claim: number;
  /** Drawn by lot by each session that registers; tells its own registration from a later one of the same port. 64 bits. */
  readonly instance: bigint;
}

/** `VRBN`, ServiceData8.1 to 8.4. */
const MAGIC = 0x5652_424e;
/** ServiceData8.5. */
const VERSION_AT = 4;
/** ServiceData32.1. */
const CLAIM_AT = 32;
/** ServiceData64.1. The last 8 bytes stay free: ibsim cuts them off. */
const INSTANCE_AT = 48;
const DATA_SIZE = 64;
const ENDLESS_LEASE = 0xffff_ffff;
const NO_KEY = new Uint8Array(16);
/** ServiceData8.1 is bit 7, ServiceData64.2 bit 36. */
const ALL_DATA = ((1n << 30n) - 1n) << 7n;

/** Component mask that finds the registrations of an address in a partition. */
export const FIND_MASK = C.serviceId | C.servicePkey | C.serviceName;
/** Component mask that names one registration. */
export const ID_MASK = C.serviceId | C.serviceGid | C.servicePkey;
/** Component mask of a registration. */
export const REGISTER_MASK = ID_MASK | C.serviceLease | C.serviceName | ALL_DATA;

/** The P_Key under which a partition's addresses are registered: the SA compares all 16 bits, and members come with and without bit 15. */
export function registryPkey(pkey: PKey): PKey {
  return PKey.from(pkey | 0x8000);
}

/** The record in wire form, 176 bytes; without `record` members only what identifies it counts. */
export function encodeRegistration(id: RegistrationId, record?: RegistryRecord): Buffer {
  const serviceData = Buffer.alloc(DATA_SIZE);
  if (record !== undefined) {
    serviceData.writeUInt32BE(MAGIC, 0);
    serviceData.writeUInt8(REGISTRY_VERSION, VERSION_AT);
    serviceData.writeUInt32BE(record.claim, CLAIM_AT);
    serviceData.writeBigUInt64BE(record.instance, INSTANCE_AT);
  }
  return encodeServiceRecord({
    serviceId: serviceIdOf(id.serviceName),
    serviceGid: id.gid,
    servicePkey: id.pkey,
    serviceLease: record?.leaseSeconds ?? 0,
    serviceKey: NO_KEY,
    serviceName: id.serviceName,
    serviceData,
  });
}

/** What the SA has under a name, or what is wrong with it: anybody may register anything. */
export function decodeRegistration(bytes: Buffer, wanted: { readonly serviceName: string; readonly pkey: PKey }) {
  if (bytes.length < SERVICE_RECORD_SIZE) return { problem: "short record" } as const;
  const { serviceId, serviceGid, servicePkey, serviceLease, serviceName, serviceData } = decodeServiceRecord(bytes);
  const data = Buffer.from(serviceData);
  if (serviceId !== serviceIdOf(wanted.serviceName) || serviceName !== wanted.serviceName) {
    return { problem: "another name" } as const;
  }
  if (servicePkey !== wanted.pkey) return { problem: "another partition" } as const;
  if (data.readUInt32BE(0) !== MAGIC) return { problem: "no data of ours" } as const;
  if (data.readUInt8(VERSION_AT) !== REGISTRY_VERSION) return { problem: "another version" } as const;
  if (Gid.guid(serviceGid) === 0n || Gid.isMulticast(serviceGid)) return { problem: "no port's GID" } as const;
  if (serviceLease === 0 || serviceLease === ENDLESS_LEASE) return { problem: "no lease of ours" } as const;
  const record: RegistryRecord = {
    serviceName,
    gid: serviceGid,
    pkey: servicePkey,
    leaseSeconds: serviceLease,
    claim: data.readUInt32BE(CLAIM_AT),
    instance: data.readBigUInt64BE(INSTANCE_AT),
  };
  return { record } as const;
}

/** Newest first; of two with the same claim the one with the lower GID, so that everybody chooses the same. */
export function newestFirst(a: RegistryRecord, b: RegistryRecord): number {
  if (a.claim !== b.claim) return b.claim - a.claim;
  return a.gid < b.gid ? -1 : 1;
}

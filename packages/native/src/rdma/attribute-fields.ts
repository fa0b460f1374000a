import { Gid, Mtu } from "@verbena/ib";
import type { AddressAttributes, QueuePairAttributes, QueuePairStatus } from "../api/queue-pair.js";
import { accessFlags, accessMask, QP_STATES } from "./codes.js";
import { optionError } from "./option-error.js";

// The order of src/cc/verbs-attributes.cc.
const PAIR_FIELDS = 34;
const ADDRESS_FIELDS = 10;
const ADDRESS_AT = 19;
const CAP_AT = 29;
const DRAINING_AT = 11;

/** `enum ibv_qp_attr_mask` of what {@link queryMask} asks for and the attributes below set. */
const MASK = {
  state: 1 << 0,
  currentState: 1 << 1,
  notifyDrained: 1 << 2,
  access: 1 << 3,
  pkeyIndex: 1 << 4,
  port: 1 << 5,
  qkey: 1 << 6,
  address: 1 << 7,
  pathMtu: 1 << 8,
  timeout: 1 << 9,
  retryCnt: 1 << 10,
  rnrRetry: 1 << 11,
  rqPsn: 1 << 12,
  maxRdAtomic: 1 << 13,
  minRnrTimer: 1 << 15,
  sqPsn: 1 << 16,
  maxDestRdAtomic: 1 << 17,
  destQpn: 1 << 20,
} as const satisfies Record<keyof QueuePairAttributes, number>;

/** Everything that `ibv_query_qp` can tell; capabilities (bit 19) too. */
export const queryMask = Object.values(MASK).reduce((all, bit) => all | bit, 1 << 19);

/** Plain numbers: place in the array, and the largest value. */
const NUMBERS = {
  qkey: [4, 0xffff_ffff],
  rqPsn: [5, 0xff_ffff],
  sqPsn: [6, 0xff_ffff],
  destQpn: [7, 0xff_ffff],
  pkeyIndex: [9, 0xffff],
  maxRdAtomic: [12, 255],
  maxDestRdAtomic: [13, 255],
  minRnrTimer: [14, 31],
  port: [15, 255],
  timeout: [16, 31],
  retryCnt: [17, 7],
  rnrRetry: [18, 7],
} as const;

/** Attributes as the addon wants them. */
export interface AttributeFields {
  readonly mask: number;
  readonly fields: Uint32Array;
  readonly dgid: Buffer;
}

/** Throws `VERBENA_NATIVE_OPTION` for unknown names and values out of range. */
export function encodeAttributes(attributes: QueuePairAttributes): AttributeFields {
  const fields = new Uint32Array(PAIR_FIELDS);
  const dgid = Buffer.alloc(Gid.SIZE);
  let mask = 0;
  for (const name of Object.keys(attributes) as (keyof QueuePairAttributes)[]) {
    if (attributes[name] === undefined) continue;
    const bit = (MASK as Readonly<Record<string, number | undefined>>)[name];
    if (bit === undefined) throw optionError(`unknown attribute ${name}`);
    mask |= bit;
  }
  if (attributes.state !== undefined) fields[0] = stateCode(attributes.state);
  if (attributes.currentState !== undefined) fields[1] = stateCode(attributes.currentState);
  if (attributes.pathMtu !== undefined) fields[2] = attributes.pathMtu;
  if (attributes.access !== undefined) fields[8] = needAccess(attributes.access);
  if (attributes.notifyDrained === true) fields[10] = 1;
  for (const [name, [place, max]] of Object.entries(NUMBERS) as [keyof typeof NUMBERS, readonly [number, number]][]) {
    const value = attributes[name];
    if (value !== undefined) fields[place] = needNumber(name, value, max);
  }
  if (attributes.address !== undefined) {
    const address = encodeAddress(attributes.address);
    fields.set(address.fields, ADDRESS_AT);
    address.dgid.copy(dgid);
  }
  return { mask, fields, dgid };
}

/** Throws `VERBENA_NATIVE_OPTION` for values out of range. */
export function encodeAddress(address: AddressAttributes): Omit<AttributeFields, "mask"> {
  const { port, dlid = 0, sl = 0, pathBits = 0, staticRate = 0, grh } = address;
  const fields = new Uint32Array(ADDRESS_FIELDS);
  const dgid = Buffer.alloc(Gid.SIZE);
  fields[0] = grh === undefined ? 0 : 1;
  fields[1] = needNumber("address.dlid", dlid, 0xffff);
  fields[2] = needNumber("address.sl", sl, 15);
  fields[3] = needNumber("address.pathBits", pathBits, 127);
  fields[4] = needNumber("address.staticRate", staticRate, 255);
  fields[5] = needNumber("address.port", port, 255);
  if (grh !== undefined) {
    fields[6] = needNumber("address.grh.flowLabel", grh.flowLabel ?? 0, 0xf_ffff);
    fields[7] = needNumber("address.grh.sgidIndex", grh.sgidIndex, 255);
    fields[8] = needNumber("address.grh.hopLimit", grh.hopLimit ?? 64, 255);
    fields[9] = needNumber("address.grh.trafficClass", grh.trafficClass ?? 0, 255);
    Gid.write(dgid, 0, grh.dgid);
  }
  return { fields, dgid };
}

/** What the device says. */
export function decodeStatus(fields: Uint32Array, dgid: Buffer): QueuePairStatus {
  const at = (index: number): number => fields[index] ?? 0;
  const numbers = Object.fromEntries(
    Object.entries(NUMBERS).map(([name, [place]]) => [name, at(place)]),
  ) as unknown as Record<keyof typeof NUMBERS, number>;
  const mtu = at(2);
  return {
    ...numbers,
    state: QP_STATES[at(0)] ?? "unknown",
    ...(mtu === 0 ? {} : { pathMtu: Mtu.from(mtu) }),
    access: accessFlags(at(8)),
    notifyDrained: at(10) !== 0,
    isDraining: at(DRAINING_AT) !== 0,
    address: {
      dlid: at(ADDRESS_AT + 1),
      sl: at(ADDRESS_AT + 2),
      pathBits: at(ADDRESS_AT + 3),
      staticRate: at(ADDRESS_AT + 4),
      port: at(ADDRESS_AT + 5),
      ...(at(ADDRESS_AT) === 0
        ? {}
        : {
            grh: {
              dgid: Gid.read(dgid, 0),
              flowLabel: at(ADDRESS_AT + 6),
              sgidIndex: at(ADDRESS_AT + 7),
              hopLimit: at(ADDRESS_AT + 8),
              trafficClass: at(ADDRESS_AT + 9),
            },
          }),
    },
    caps: {
      maxSendWr: at(CAP_AT),
      maxRecvWr: at(CAP_AT + 1),
      maxSendSge: at(CAP_AT + 2),
      maxRecvSge: at(CAP_AT + 3),
      maxInline: at(CAP_AT + 4),
    },
  };
}

function stateCode(state: string): number {
  const code = (QP_STATES as readonly string[]).indexOf(state);
  if (code < 0) throw optionError(`unknown state ${state}`);
  return code;
}

function needAccess(flags: NonNullable<QueuePairAttributes["access"]>): number {
  const mask = accessMask(flags);
  if (mask === undefined) throw optionError(`unknown access flag among ${flags.join(", ")}`);
  return mask;
}

function needNumber(name: string, value: number, max: number): number {
  if (!Number.isInteger(value) || value < 0 || value > max)
    throw optionError(`${name} must be 0 to ${max}, not ${value}`);
  return value;
}

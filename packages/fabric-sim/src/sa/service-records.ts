import { SERVICE_RECORD_COMPONENTS as C, Gid, MadMethod, MadStatus, PKey, SERVICE_RECORD_SIZE } from "@verbena/ib";
import { isInPartition, type SaAnswer, type SaHandler, type SaRequest } from "./handler.js";
import { ENDLESS_LEASE } from "./service-registry.js";

/** Component bit to offset and bytes: the fields of IBA 15.2.5.14, then the service data as 8, 16, 32 and 64-bit words. */
const FIELDS: readonly { readonly bit: bigint; readonly at: number; readonly size: number }[] = [
  { bit: C.serviceId, at: 0, size: 8 },
  { bit: C.serviceGid, at: 8, size: 16 },
  { bit: C.servicePkey, at: 24, size: 2 },
  { bit: C.serviceKey, at: 32, size: 16 },
  { bit: C.serviceName, at: 48, size: 64 },
  ...dataFields(),
];

const GID_AT = 8;
const PKEY_AT = 24;
const LEASE_AT = 28;
const KEY_AT = 32;
const NAME_AT = 48;
/** Components that name a registration. */
const NEEDED = C.serviceId | C.serviceGid;

const invalid: SaAnswer = { status: MadStatus.SA_REQ_INVALID };

/** ServiceRecord Get, GetTable, Set and Delete (IBA 15.2.5.14), with OpenSM's checks and statuses. The lease is no search field. */
export const answerServiceRecord: SaHandler = (request, sm, { services }) => {
  const { method, componentMask: mask, data } = request.mad;
  const record = Buffer.from(data.subarray(0, SERVICE_RECORD_SIZE));
  switch (method) {
    case MadMethod.GET:
    case MadMethod.GET_TABLE:
      return answer(
        request,
        services.all().filter((one) => matches(mask, record, one) && isVisible(request, one)),
      );
    case MadMethod.SET:
      if (!mayUsePkey(request, record, (guid) => sm.subnet.portByGuid(guid))) return invalid;
      if ((mask & NEEDED) !== NEEDED) return invalid;
      if ((mask & C.serviceLease) === 0n) record.writeUInt32BE(ENDLESS_LEASE, LEASE_AT);
      if (!services.register(record)) return { status: MadStatus.SA_NO_RESOURCES };
      // OpenSM keeps what came, and answers with the default key.
      if ((mask & C.servicePkey) === 0n) record.writeUInt16BE(PKey.DEFAULT, PKEY_AT);
      return answer(request, [record]);
    case MadMethod.DELETE: {
      if (!mayUsePkey(request, record, (guid) => sm.subnet.portByGuid(guid))) return invalid;
      const removed = services.unregister(record);
      return removed === undefined ? { status: MadStatus.SA_NO_RECORDS } : answer(request, [removed]);
    }
    default:
      return { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };
  }
};

/** The key is a secret between the registrant and the manager. */
function answer({ isTrusted }: SaRequest, records: readonly Buffer[]): SaAnswer {
  const shown = isTrusted
    ? records
    : records.map((record) => {
        const copy = Buffer.from(record);
        copy.fill(0, KEY_AT, NAME_AT);
        return copy;
      });
  return { records: shown, size: SERVICE_RECORD_SIZE };
}

function matches(mask: bigint, wanted: Buffer, actual: Buffer): boolean {
  return FIELDS.every(
    ({ bit, at, size }) => (mask & bit) === 0n || wanted.compare(actual, at, at + size, at, at + size) === 0,
  );
}

/** A service of a partition is shown to its members only; one without a valid P_Key to all. */
function isVisible({ requester }: SaRequest, record: Buffer): boolean {
  const pkey = PKey.from(record.readUInt16BE(PKEY_AT));
  return !PKey.isValid(pkey) || isInPartition(requester, pkey);
}

/** If a P_Key is given, both who asks and, if named, the port of the service must be in its partition. */
function mayUsePkey(
  { mad, requester }: SaRequest,
  record: Buffer,
  portByGuid: (guid: bigint) => Parameters<typeof isInPartition>[0] | undefined,
): boolean {
  if ((mad.componentMask & C.servicePkey) === 0n) return true;
  const pkey = PKey.from(record.readUInt16BE(PKEY_AT));
  if (!isInPartition(requester, pkey)) return false;
  if ((mad.componentMask & C.serviceGid) === 0n) return true;
  const port = portByGuid(Gid.guid(Gid.read(record, GID_AT)));
  return port !== undefined && isInPartition(port, pkey);
}

function dataFields() {
  let bit = 7;
  let at = 112;
  return [1, 2, 4, 8].flatMap((size) =>
    Array.from({ length: 16 / size }, () => {
      const field = { bit: 1n << BigInt(bit++), at, size };
      at += size;
      return field;
    }),
  );
}

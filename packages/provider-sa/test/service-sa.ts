import type { Clock, SaQuery, SaResponse, SaService } from "@verbena/core/sdk";
import {
  SERVICE_RECORD_COMPONENTS as C,
  decodePathRecord,
  decodeServiceRecord,
  emptyPathRecord,
  encodePathRecord,
  encodeServiceRecord,
  Gid,
  Guid,
  Lid,
  MadStatus,
  SaAttribute,
  type ServiceRecord,
} from "@verbena/ib";

interface Entry {
  readonly record: ServiceRecord;
  readonly endsAt: number;
}

/** ServiceRecords as OpenSM keeps them (`test/peers` compares the simulator with it), and paths to whatever port is not `cut`. */
export class ServiceSa implements SaService {
  readonly queries: SaQuery[] = [];
  readonly cut = new Set<Gid>();
  /** Replaces the answer to the next queries, as long as it gives one. */
  intercept: (query: SaQuery) => Promise<SaResponse> | undefined = () => undefined;
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly clock: Clock) {}

  /** Living records, newest registration first. */
  records(): readonly ServiceRecord[] {
    const living = [...this.#entries.values()].filter(({ endsAt }) => endsAt > this.clock.now());
    return living.map(({ record }) => record).reverse();
  }

  put(record: ServiceRecord): void {
    this.#entries.set(rid(record), { record, endsAt: this.clock.now() + record.serviceLease * 1000 });
  }

  clear(): void {
    this.#entries.clear();
  }

  methods(): readonly string[] {
    return this.queries
      .filter(({ attributeId }) => attributeId === SaAttribute.SERVICE_RECORD)
      .map(({ method }) => method);
  }

  query(query: SaQuery): Promise<SaResponse> {
    this.queries.push(query);
    return this.intercept(query) ?? Promise.resolve(this.#answer(query));
  }

  #answer(query: SaQuery): SaResponse {
    const bytes = Buffer.from(query.record);
    if (query.attributeId === SaAttribute.PATH_RECORD) return this.#path(bytes);
    const asked = decodeServiceRecord(bytes);
    const found = this.records().filter((one) => matches(query.componentMask, asked, one));
    switch (query.method) {
      case "set":
        this.put(asked);
        return { status: 0, records: [bytes] };
      case "delete":
        if (!this.#entries.delete(rid(asked))) return { status: MadStatus.SA_NO_RECORDS, records: [bytes] };
        return { status: 0, records: [bytes] };
      case "get":
        if (found.length === 0) return { status: MadStatus.SA_NO_RECORDS, records: [bytes] };
        if (found.length > 1) return { status: MadStatus.SA_TOO_MANY_RECORDS, records: [bytes] };
        return { status: 0, records: found.map(encodeServiceRecord) };
      case "getTable":
        return { status: 0, records: found.map(encodeServiceRecord) };
      default:
        return query.method satisfies never;
    }
  }

  #path(bytes: Buffer): SaResponse {
    const { sgid, dgid } = decodePathRecord(bytes);
    if (this.cut.has(dgid)) return { status: MadStatus.SA_NO_RECORDS, records: [bytes] };
    const dlid = Lid.from(Number(Guid.from(Gid.guid(dgid)) & 0xfffn));
    return { status: 0, records: [encodePathRecord(emptyPathRecord({ sgid, dgid, dlid, reversible: true }))] };
  }
}

function rid({ serviceId, serviceGid, servicePkey }: ServiceRecord): string {
  return `${serviceId} ${serviceGid} ${servicePkey}`;
}

function matches(mask: bigint, asked: ServiceRecord, one: ServiceRecord): boolean {
  const fields = ["serviceId", "serviceGid", "servicePkey", "serviceName"] as const;
  return fields.every((field) => (mask & C[field]) === 0n || asked[field] === one[field]);
}

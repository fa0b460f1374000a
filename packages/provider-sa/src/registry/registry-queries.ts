import type { SaQuery, SaResponse, SaService } from "@verbena/core/sdk";
import { Gid, MadStatus, type PKey, SaAttribute } from "@verbena/ib";
import { isNoRecords, recordsOf } from "../sa-status.js";
import {
  decodeRegistration,
  encodeRegistration,
  FIND_MASK,
  ID_MASK,
  newestFirst,
  REGISTER_MASK,
  type RegistrationId,
  type RegistryRecord,
} from "./registry-record.js";

/** How a question is put: who asks, and how long it may take. */
export type Asking = Pick<SaQuery, "signal" | "deadlineMs" | "requestId">;

/** Registrations of one name in one partition. */
export interface Registrations {
  /** Newest first, one per port. */
  readonly records: readonly RegistryRecord[];
  /** What was wrong with the records that are left out. */
  readonly ignored: readonly string[];
}

/** The registry's questions to the SA. Each rejects with what `SaService.query` rejects with, or VERBENA_PROVIDER_SA_STATUS. */
export class RegistryQueries {
  constructor(private readonly sa: SaService) {}

  /** Who has registered a name. One Get; a table only if the SA says that there are several. */
  async find(name: { readonly serviceName: string; readonly pkey: PKey }, asking: Asking): Promise<Registrations> {
    const wanted = encodeRegistration({ ...name, gid: Gid.zero });
    let response = await this.#ask("get", FIND_MASK, wanted, asking);
    if (response.status === MadStatus.SA_TOO_MANY_RECORDS) {
      response = await this.#ask("getTable", FIND_MASK, wanted, asking);
    }
    const read = recordsOf(response, "the registrations of a name").map((bytes) => decodeRegistration(bytes, name));
    return {
      records: read.flatMap(({ record }) => record ?? []).sort(newestFirst),
      ignored: read.flatMap(({ problem }) => problem ?? []),
    };
  }

  /** Registers, or renews. */
  async register(record: RegistryRecord, asking: Asking): Promise<void> {
    const response = await this.#ask("set", REGISTER_MASK, encodeRegistration(record, record), asking);
    recordsOf(response, "a registration");
  }

  /** Ends a registration, if it is there and still that of `instance`; false if it was not. */
  async remove(id: RegistrationId, instance: bigint, asking: Asking): Promise<boolean> {
    const wanted = encodeRegistration(id);
    const there = await this.#ask("get", ID_MASK, wanted, asking);
    const [bytes] = recordsOf(there, "a registration");
    if (bytes === undefined || decodeRegistration(bytes, id).record?.instance !== instance) return false;
    const response = await this.#ask("delete", ID_MASK, wanted, asking);
    if (isNoRecords(response)) return false;
    recordsOf(response, "the end of a registration");
    return true;
  }

  #ask(method: SaQuery["method"], componentMask: bigint, record: Buffer, asking: Asking): Promise<SaResponse> {
    return this.sa.query({ ...asking, method, attributeId: SaAttribute.SERVICE_RECORD, componentMask, record });
  }
}

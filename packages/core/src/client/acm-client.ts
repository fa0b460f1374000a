import {
  ACM_COUNTERS,
  ACM_FLAG,
  type AcmAddressRecord,
  type AcmEndpoint,
  type AcmReplyPath,
  acmAddressOf,
  acmAddressRecord,
  acmStatusName,
  decodeEndpointReply,
  decodePerfReply,
  decodeResolveReply,
  emptyPathRecord,
  encodeEndpointRequest,
  encodePerfRequest,
  encodeResolveRequest,
  IpAddress,
  type OptionNames,
  type PathRecord,
  VerbenaError,
} from "@verbena/ib";
import { checkOptions } from "../check-options.js";
import type { AcmCounters } from "../engine/contract.js";
import { coreError } from "../errors.js";
import { type AcmAddressInput, addressRecord } from "./acm-address.js";
import type { AcmCallOptions } from "./acm-call.js";
import { AcmConnection, type AcmConnectionOptions, type AcmServiceAddress } from "./acm-connection.js";

/** Where to connect and how. */
export type AcmConnectOptions = AcmServiceAddress & AcmConnectionOptions & AcmCallOptions;

/** A resolution by name or address. */
export interface AcmResolveOptions extends AcmCallOptions {
  /** Absent: the service chooses; possible for IP destinations only. */
  readonly source?: AcmAddressInput;
  readonly destination: AcmAddressInput;
  /** Answer from the cache; if not there, start the lookup and fail with status 3. */
  readonly noDelay?: boolean;
}

/** A resolution by LID or GID; fields not given count as zero, "any". */
export type AcmPathOptions = AcmCallOptions &
  Partial<Pick<PathRecord, "dgid" | "sgid" | "dlid" | "slid" | "pkey" | "serviceId" | "tclass" | "sl" | "qosClass">> & {
    readonly noDelay?: boolean;
  };

/** A resolved path. */
export interface AcmResolution {
  readonly path: PathRecord;
  /** All paths of the reply with their flags (`ACM_PATH_FLAG`), the one above first. */
  readonly paths: readonly AcmReplyPath[];
  /** The source that the service chose, if it says so. */
  readonly source?: string;
}

/** Whose counters: one endpoint by number (from 1) or by one of its addresses; neither: all together. */
export type AcmPerfOptions = AcmCallOptions &
  (
    | { readonly index?: number; readonly address?: never }
    | { readonly index?: never; readonly address: AcmAddressInput }
  );

/** An endpoint and its number among those of all ports. */
export interface AcmNumberedEndpoint extends AcmEndpoint {
  readonly index: number;
}

const CALL = { signal: true, deadlineMs: true } as const;
const CONNECT: OptionNames<AcmConnectOptions> = {
  ...CALL,
  socketPath: true,
  host: true,
  port: true,
  pipelined: true,
  clock: true,
};
const RESOLVE: OptionNames<AcmResolveOptions> = { ...CALL, source: true, destination: true, noDelay: true };
const RESOLVE_PATH: OptionNames<AcmPathOptions> = {
  ...CALL,
  dgid: true,
  sgid: true,
  dlid: true,
  slid: true,
  pkey: true,
  serviceId: true,
  tclass: true,
  sl: true,
  qosClass: true,
  noDelay: true,
};

/**
 * Client of the ACM socket: of Verbena, and of the real ibacm. No native code. Calls reject with VERBENA_CLIENT_STATUS (the service
 * said no; `details` has `status` and `name`), _TIMEOUT, _ABORTED, _CLOSED or _PROTOCOL, and with VERBENA_OPTION_UNKNOWN.
 */
export class AcmClient implements AsyncDisposable {
  readonly #connection: AcmConnection;

  private constructor(connection: AcmConnection) {
    this.#connection = connection;
  }

  /** Connects. Rejects with VERBENA_CLIENT_CONNECT (with errno), _TIMEOUT or _ABORTED. */
  static async connect(options: AcmConnectOptions): Promise<AcmClient> {
    checkOptions("AcmClient.connect", options, CONNECT);
    return new AcmClient(await AcmConnection.open(options, options, options));
  }

  /** Path to a name or address. */
  async resolve(options: AcmResolveOptions): Promise<AcmResolution> {
    checkOptions("AcmClient.resolve", options, RESOLVE);
    const flags = ACM_FLAG.DEST | (options.noDelay === true ? ACM_FLAG.NODELAY : 0);
    const records = options.source === undefined ? [] : [addressRecord(ACM_FLAG.SOURCE, options.source)];
    return await this.#resolve([...records, addressRecord(flags, options.destination)], options);
  }

  /** Path to a LID or GID. */
  async resolvePath(options: AcmPathOptions): Promise<AcmResolution> {
    checkOptions("AcmClient.resolvePath", options, RESOLVE_PATH);
    const { noDelay, signal: _signal, deadlineMs: _deadlineMs, ...fields } = options;
    const path = { ...emptyPathRecord(), reversible: true, numbPath: 1, ...fields };
    const flags = noDelay === true ? ACM_FLAG.NODELAY : 0;
    return await this.#resolve([acmAddressRecord(flags, { type: "path", path })], options);
  }

  /** Asks the subnet administrator for a path that fits every non-zero field of `path`; no cache. */
  async querySa(path: PathRecord, options: AcmCallOptions = {}): Promise<PathRecord> {
    const record = acmAddressRecord(ACM_FLAG.QUERY_SA, { type: "path", path });
    return (await this.#resolve([record], options, "QUERY_SA")).path;
  }

  /** Counters: all together, of one endpoint by number, or of the endpoint that has an address. */
  async perf(options: AcmPerfOptions = {}): Promise<AcmCounters> {
    const { index, address } = options;
    const records = address === undefined ? [] : [addressRecord(ACM_FLAG.SOURCE, address)];
    const bytes = await this.#connection.exchange(
      "PERF",
      (tid) => encodePerfRequest({ tid, endpointIndex: index ?? 0, records }),
      options,
    );
    const reply = this.#decode("PERF", () => decodePerfReply(bytes));
    const values = ACM_COUNTERS.map((name, n) => [name, Number(BigInt.asIntN(64, reply.counters[n] ?? 0n))]);
    return Object.fromEntries(values) as AcmCounters;
  }

  /** The n-th endpoint (from 1) of those on `port`, or of all (0); `undefined` if there are fewer. */
  async endpoint(index: number, port = 0, options: AcmCallOptions = {}): Promise<AcmEndpoint | undefined> {
    const bytes = await this.#connection.exchange(
      "EP query",
      (tid) => encodeEndpointRequest({ tid, index, port }),
      options,
    );
    try {
      return this.#decode("EP query", () => decodeEndpointReply(bytes)).endpoint;
    } catch (error) {
      if (VerbenaError.is(error, "VERBENA_CLIENT_STATUS")) return undefined;
      throw error;
    }
  }

  /** All endpoints, in the service's order. */
  async endpoints(options: AcmCallOptions = {}): Promise<readonly AcmNumberedEndpoint[]> {
    const found: AcmNumberedEndpoint[] = [];
    for (let index = 1; index <= 255; index++) {
      const endpoint = await this.endpoint(index, 0, options);
      if (endpoint === undefined) break;
      found.push({ ...endpoint, index });
    }
    return found;
  }

  /** Settles pending calls with VERBENA_CLIENT_CLOSED and closes. Idempotent. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #resolve(
    records: readonly AcmAddressRecord[],
    options: AcmCallOptions,
    operation = "RESOLVE",
  ): Promise<AcmResolution> {
    const bytes = await this.#connection.exchange(operation, (tid) => encodeResolveRequest({ tid, records }), options);
    const reply = this.#decode(operation, () => decodeResolveReply(bytes));
    const [first] = reply.paths;
    if (first === undefined) throw this.#protocolError(`a ${operation} reply without a path`);
    const source = reply.source === undefined ? undefined : sourceText(reply.source);
    return { path: first.path, paths: reply.paths, ...(source === undefined ? {} : { source }) };
  }

  #decode<T extends { readonly status: number }>(operation: string, decode: () => T): T {
    let reply: T;
    try {
      reply = decode();
    } catch (error) {
      throw this.#protocolError(error instanceof Error ? error.message : String(error), error);
    }
    if (reply.status === 0) return reply;
    const name = acmStatusName(reply.status) ?? "unassigned";
    throw coreError("VERBENA_CLIENT_STATUS", { details: { operation, status: reply.status, name } });
  }

  #protocolError(what: string, cause?: unknown): Error {
    return coreError("VERBENA_CLIENT_PROTOCOL", { details: { service: this.#connection.service, what }, cause });
  }
}

function sourceText(record: AcmAddressRecord): string | undefined {
  const address = acmAddressOf(record);
  if (address.type === "ip4" || address.type === "ip6") return IpAddress.fromBytes(address.address);
  return address.type === "name" ? address.name : undefined;
}

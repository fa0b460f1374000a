import { emptyPathRecord, encodePathRecord, Gid, Guid, IpAddress, type Lid, type PathRecord, PKey } from "@verbena/ib";
import type {
  AcmCounters,
  EndpointStatus,
  Explanation,
  PathRequest,
  ResolveAnswer,
  ResolveRequest,
  ResolverEngine,
  SaPassThrough,
  SaPassThroughAnswer,
  SourceSpec,
} from "../../src/engine/contract.js";
import { coreError } from "../../src/errors.js";
import type { Destination } from "../../src/sdk/destination.js";

/** How the daemon was set up when a vector was recorded. */
export interface RecordedSetup {
  /** A second, failed endpoint 8001/1 with the name node1-p. */
  readonly hasFailedEndpoint?: boolean;
  /** Paths to other nodes: `sa` as OpenSM gives them, `group` those of a multicast group, `dump` those of a path dump. */
  readonly paths?: "sa" | "group" | "dump";
  /** MAD status that the SA answers every query with; a string = it does not answer. */
  readonly saStatus?: number | "timeout";
}

const PREFIX = Gid.linkLocalPrefix;
const zero: AcmCounters = {
  error: 0,
  resolve: 0,
  noData: 0,
  addressQuery: 0,
  addressCache: 0,
  routeQuery: 0,
  routeCache: 0,
};

/** The three nodes of the recordings: number, interface id of port and GUID, LID. */
const NODES = [
  { number: 1, guid: 0x100001n, lid: 1 },
  { number: 2, guid: 0x100003n, lid: 3 },
  { number: 3, guid: 0x100005n, lid: 4 },
] as const;

type Node = (typeof NODES)[number];

/**
 * An engine that knows what the daemon of the recordings knew: node1 of three, names, addresses, LIDs and paths. Enough of an engine
 * to judge the protocol's edge byte for byte; it has no cache, no time and no providers.
 */
export class RecordedFabric implements ResolverEngine {
  engineCounters: AcmCounters = zero;
  endpointCounters: AcmCounters = zero;
  readonly #setup: RecordedSetup;

  constructor(setup: RecordedSetup = {}) {
    this.#setup = setup;
  }

  resolve(request: ResolveRequest): Promise<ResolveAnswer> {
    return settled(() => this.#resolve(request));
  }

  resolvePath(request: PathRequest): Promise<ResolveAnswer> {
    return settled(() => this.#resolvePath(request));
  }

  querySa(request: SaPassThrough): Promise<SaPassThroughAnswer> {
    return settled(() => this.#querySa(Buffer.from(request.record)));
  }

  endpoints(): readonly EndpointStatus[] {
    const first: EndpointStatus = {
      key: "sim0/1/0xffff",
      device: "sim0",
      nodeGuid: Guid.parse("0x0000000000100000"),
      port: 1,
      portCount: 1,
      pkey: PKey.parse("0xffff"),
      state: "ready",
      lid: 1 as Lid,
      gid: Gid.of(PREFIX, NODES[0].guid),
      provider: "ibacmp",
      addresses: ["192.0.2.1/24", "node1", "2001:db8::1"],
      counters: this.endpointCounters,
      groups: [],
      duplicates: [],
    };
    if (this.#setup.hasFailedEndpoint !== true) return [first];
    const second = { key: "sim0/1/0x8001", pkey: PKey.parse("0x8001"), addresses: ["node1-p"] };
    return [{ ...first, ...second, state: "failed" }, first];
  }

  endpointOf(source: SourceSpec): EndpointStatus | undefined {
    const wanted = source.kind === "name" ? source.name : source.text;
    return this.endpoints().find(({ addresses }) => addresses.some((text) => text.split("/")[0] === wanted));
  }

  counters(): AcmCounters {
    return this.engineCounters;
  }

  explain(): Promise<Explanation> {
    return Promise.reject(new Error("the recorded fabric explains nothing"));
  }

  checkGroups(): Promise<never> {
    return Promise.reject(new Error("not part of the recordings"));
  }

  clients(): { clients: readonly []; forgotten: number } {
    return { clients: [], forgotten: 0 };
  }

  lostFunctions(): readonly [] {
    return [];
  }

  saPorts(): readonly [] {
    return [];
  }

  cacheEntries(): readonly [] {
    return [];
  }

  flush(): number {
    return 0;
  }

  changes(): AsyncIterableIterator<never> {
    throw new Error("not part of the recordings");
  }

  providerEvents(): AsyncIterableIterator<never> {
    throw new Error("not part of the recordings");
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #resolve({ source, destination, noDelay }: ResolveRequest): ResolveAnswer {
    const chosen = source === undefined ? this.#chooseSource(destination) : undefined;
    const endpoint = this.endpointOf(source ?? { kind: "ip", address: chosen!, text: chosen! });
    if (endpoint === undefined) throw coreError("VERBENA_RESOLVE_NO_SOURCE");
    if (endpoint.state !== "ready") throw coreError("VERBENA_RESOLVE_NOT_READY");
    const node = NODES.find((one) =>
      namesOf(one).includes(destination.kind === "name" ? destination.name : destination.text),
    );
    const isInDump = this.#setup.paths === "dump" && destination.text === "192.0.2.60";
    if (node !== undefined) return this.#answer(node, chosen);
    if (isInDump) return this.#answer(NODES[2]);
    throw coreError(noDelay === true ? "VERBENA_RESOLVE_NO_DATA" : "VERBENA_RESOLVE_TIMEOUT");
  }

  #chooseSource(destination: Destination): IpAddress {
    if (destination.kind !== "ip") throw coreError("VERBENA_RESOLVE_DESTINATION_TYPE");
    return IpAddress.parse(IpAddress.family(destination.address) === 4 ? "192.0.2.1" : "2001:db8::1");
  }

  #resolvePath({ dgid, sgid, dlid, slid, pkey }: PathRequest): ResolveAnswer {
    this.#checkSource(sgid, slid, pkey);
    const { saStatus } = this.#setup;
    if (saStatus === "timeout") throw coreError("VERBENA_RESOLVE_TIMEOUT");
    if (saStatus !== undefined) throw coreError("VERBENA_RESOLVE_SA_STATUS", { details: { saStatus } });
    const node = NODES.find(({ guid, lid }) => (dlid === 0 ? Gid.of(PREFIX, guid) === dgid : lid === dlid));
    if (node === undefined) throw coreError("VERBENA_RESOLVE_SA_STATUS", { details: { saStatus: 0x0300 } });
    return this.#answer(node);
  }

  #querySa(record: Buffer): SaPassThroughAnswer {
    const sgid = Gid.read(record, 24);
    this.#checkSource(sgid, 0, record.readUInt16BE(50));
    const { saStatus } = this.#setup;
    if (saStatus === "timeout") throw coreError("VERBENA_RESOLVE_TIMEOUT");
    const node = NODES.find(({ guid }) => Gid.of(PREFIX, guid) === Gid.read(record, 8));
    if (node === undefined) {
      return { madStatus: 0x0300, record };
    }
    return { madStatus: saStatus ?? 0, record: encodePathRecord(this.#path(node)) };
  }

  #checkSource(sgid: Gid, slid: number, pkey: number): void {
    const isOwn = (sgid === 0n || sgid === Gid.of(PREFIX, NODES[0].guid)) && (slid === 0 || slid === 1);
    const endpoint = this.endpoints().find((one) => pkey === 0 || PKey.samePartition(one.pkey, pkey as PKey));
    if (!isOwn || endpoint === undefined) throw coreError("VERBENA_RESOLVE_NO_SOURCE");
    if (endpoint.state !== "ready") throw coreError("VERBENA_RESOLVE_NOT_READY");
  }

  #answer(node: Node, chosenSource?: IpAddress): ResolveAnswer {
    const [endpoint] = this.endpoints().filter(({ state }) => state === "ready");
    return {
      paths: [this.#path(node)],
      endpoint: endpoint!,
      ...(chosenSource === undefined ? {} : { chosenSource }),
      provenance: { route: { provider: "recorded", from: "provider" } },
      ageMs: 0,
      generation: 1,
      requestId: "r1",
    };
  }

  #path(node: Node): PathRecord {
    const path: PathRecord = {
      ...emptyPathRecord(),
      dgid: Gid.of(PREFIX, node.guid),
      sgid: Gid.of(PREFIX, NODES[0].guid),
      dlid: node.lid as Lid,
      slid: 1 as Lid,
      reversible: true,
      pkey: PKey.parse("0xffff"),
      mtu: 4 as PathRecord["mtu"],
      rate: 3 as PathRecord["rate"],
    };
    if (node.number === 1) return path;
    const exactly = { mtuSelector: 2, rateSelector: 2, packetLifeTimeSelector: 2 } as const;
    switch (this.#setup.paths ?? "sa") {
      case "sa":
        return { ...path, ...exactly, packetLifeTime: 18 };
      case "group":
        return { ...path, ...exactly, packetLifeTime: 0, numbPath: 1 };
      case "dump":
        return { ...path, packetLifeTime: 18, sl: node.number === 3 ? 2 : 0 };
    }
  }
}

function namesOf({ number }: Node): readonly string[] {
  return [`node${number}`, `192.0.2.${number}`, `2001:db8::${number}`];
}

/** The outcome as a promise: an exception rejects. */
function settled<T>(compute: () => T): Promise<T> {
  return Promise.resolve().then(compute);
}

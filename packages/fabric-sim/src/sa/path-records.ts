import {
  PATH_RECORD_COMPONENTS as C,
  ComponentMask,
  decodePathRecord,
  emptyPathRecord,
  encodePathRecord,
  Gid,
  Guid,
  Lid,
  MadMethod,
  MadStatus,
  Mtu,
  PATH_RECORD_SIZE,
  type PathRecord,
  type PKey,
  PKey as PKeys,
  Rate,
  type Selector,
  Selector as Selectors,
} from "@verbena/ib";
import type { FabricPort } from "../fabric/port.js";
import type { SubnetManager } from "../sm/subnet-manager.js";
import { commonPkey, type SaHandler, type SaRequest, sharePartition } from "./handler.js";
import { multicastPath } from "./multicast-path.js";
import { pathEnds } from "./path-endpoints.js";
import { pathLimits } from "./path-parameters.js";

/** PathRecord Get and GetTable (IBA 15.2.5.16), with the choices that OpenSM makes where the specification leaves one. */
export const answerPathRecord: SaHandler = (request, sm) => {
  const { method, componentMask: mask, data } = request.mad;
  if (method !== MadMethod.GET && method !== MadMethod.GET_TABLE) {
    return { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };
  }
  const wanted = decodePathRecord(data);
  if ((mask & C.dgid) !== 0n && Gid.isMulticast(wanted.dgid)) {
    return { records: multicastPath(wanted, mask, method, sm).map(encodePathRecord), size: PATH_RECORD_SIZE };
  }
  const ends = pathEnds(wanted, mask, sm);
  if ("status" in ends) {
    const isEmpty = method === MadMethod.GET_TABLE && ends.status === MadStatus.SA_NO_RECORDS;
    return isEmpty ? { records: [], size: PATH_RECORD_SIZE } : ends;
  }
  const query = new PathQuery(request, wanted, sm);
  return { records: query.run(ends.source, ends.destination), size: PATH_RECORD_SIZE };
};

type Component = keyof typeof C;

/** One query's way through the pairs of ports. Get stops at the first path. A table asks for each pair, so nothing is worked out twice. */
class PathQuery {
  readonly #asked: ReadonlySet<Component>;
  readonly #isGet: boolean;
  readonly #limit: number;
  readonly #records: Buffer[] = [];
  readonly #lids = new Map<FabricPort, readonly Lid[]>();
  /** By source port, then destination LID: the way back of one pair is the way there of another. */
  readonly #parametersFrom = new Map<FabricPort, Map<Lid, PathParameters | undefined>>();

  constructor(
    private readonly request: SaRequest,
    private readonly wanted: PathRecord,
    private readonly sm: SubnetManager,
  ) {
    this.#asked = new Set(ComponentMask.fields(C, request.mad.componentMask));
    this.#isGet = request.mad.method === MadMethod.GET;
    this.#limit = this.#isGet ? 1 : this.#asked.has("numbPath") ? wanted.numbPath : Number.POSITIVE_INFINITY;
  }

  run(source: FabricPort | undefined, destination: FabricPort | undefined): readonly Buffer[] {
    const { requester } = this.request;
    const open = this.sm.subnet.endPorts;
    const visible = (ports: readonly FabricPort[]) => ports.filter((port) => sharePartition(requester, port));
    const sources = visible(source === undefined ? open : [source]);
    for (const to of visible(destination === undefined ? open : [destination])) {
      for (const from of sources) {
        if (sharePartition(from, to)) this.#addPair(from, to);
        if (this.#isGet && this.#records.length > 0) return this.#records;
      }
    }
    return this.#records;
  }

  /** Pairs of LIDs of two ports: first those that share no LID with another, then (preference 2) the others. */
  #addPair(source: FabricPort, destination: FabricPort): void {
    const slids = this.#asked.has("slid") ? [this.wanted.slid] : this.#lidsOf(source);
    const dlids = this.#asked.has("dlid") ? [this.wanted.dlid] : this.#lidsOf(destination);
    let left = this.#limit;
    const add = (slid: Lid, dlid: Lid, preference: number) => {
      const path = left > 0 ? this.#path(source, destination, slid, dlid, preference) : undefined;
      if (path === undefined) return;
      this.#records.push(encodePathRecord(path));
      left--;
    };
    slids.forEach((slid, index) => {
      const dlid = dlids[index];
      if (dlid !== undefined) add(slid, dlid, 0);
    });
    if (slids.length === 1 && dlids.length === 1) return;
    slids.forEach((slid, index) => {
      dlids.forEach((dlid, other) => {
        if (other !== index) add(slid, dlid, 2);
      });
    });
  }

  #lidsOf(port: FabricPort): readonly Lid[] {
    let known = this.#lids.get(port);
    if (known === undefined) {
      known = lids(port);
      this.#lids.set(port, known);
    }
    return known;
  }

  #path(source: FabricPort, destination: FabricPort, slid: Lid, dlid: Lid, preference: number): PathRecord | undefined {
    const forward = this.#parameters(source, destination, dlid);
    if (forward === undefined) return undefined;
    const isReversible = this.#parameters(destination, source, slid) !== undefined;
    if (this.#asked.has("reversible") && this.wanted.reversible && !isReversible) return undefined;
    return {
      ...EMPTY,
      ...forward,
      dgid: this.#gidOf("dgid", destination),
      sgid: this.#gidOf("sgid", source),
      dlid,
      slid,
      reversible: isReversible,
      mtuSelector: Selectors.EXACTLY,
      rateSelector: Selectors.EXACTLY,
      packetLifeTimeSelector: Selectors.EXACTLY,
      preference,
    };
  }

  /** The alias by which the query names the port, else its GID 0. */
  #gidOf(field: "sgid" | "dgid", port: FabricPort): Gid {
    const guid = Guid.from(Gid.guid(this.wanted[field]));
    if (!this.#asked.has(field) || guid === port.guid || !port.hasGuid(guid)) return port.gid;
    return Gid.of(port.gidPrefix, guid);
  }

  #parameters(source: FabricPort, destination: FabricPort, dlid: Lid): PathParameters | undefined {
    let known = this.#parametersFrom.get(source);
    if (known === undefined) {
      known = new Map();
      this.#parametersFrom.set(source, known);
    }
    if (!known.has(dlid)) known.set(dlid, this.#findParameters(source, destination, dlid));
    return known.get(dlid);
  }

  /** What one direction can carry, brought in line with what the query wants; `undefined` if that cannot be. */
  #findParameters(source: FabricPort, destination: FabricPort, dlid: Lid): PathParameters | undefined {
    const limits = pathLimits(source, destination, dlid);
    if (limits === undefined) return undefined;
    const { wanted } = this;
    const mtu = this.#select("mtuSelector", "mtu", wanted.mtuSelector, wanted.mtu, limits.mtu);
    const rate = this.#selectRate(limits.rate);
    const ownLife = source === destination ? 0 : source.subnetTimeout;
    const { packetLifeTimeSelector, packetLifeTime } = wanted;
    const life = this.#select(
      "packetLifeTimeSelector",
      "packetLifeTime",
      packetLifeTimeSelector,
      packetLifeTime,
      ownLife,
    );
    const pkey = this.#pkey(source, destination);
    if (mtu === undefined || rate === undefined || life === undefined || pkey === undefined) return undefined;
    const sl = this.#asked.has("sl") ? wanted.sl : 0;
    return { mtu: Mtu.from(mtu), rate, packetLifeTime: source === destination ? 0 : life, pkey, sl };
  }

  /** A selector without its value, or a value without its selector, is no condition. */
  #select(
    selectorField: Component,
    field: Component,
    selector: Selector,
    wanted: number,
    own: number,
  ): number | undefined {
    if (!this.#asked.has(selectorField) || !this.#asked.has(field)) return own;
    switch (selector) {
      case Selectors.GREATER:
        return own > wanted ? own : undefined;
      case Selectors.LESS:
        if (own < wanted) return own;
        return wanted > 1 ? wanted - 1 : undefined;
      case Selectors.EXACTLY:
        return own >= wanted ? wanted : undefined;
      case Selectors.BEST:
        return own;
    }
  }

  /** As `#select`, but rate codes are not in order of speed, and exactly means no faster path either. */
  #selectRate(own: Rate): Rate | undefined {
    const { rate: wanted, rateSelector } = this.wanted;
    if (!this.#asked.has("rateSelector") || !this.#asked.has("rate")) return own;
    const order = Rate.compare(own, wanted);
    switch (rateSelector) {
      case Selectors.GREATER:
        return order > 0 ? own : undefined;
      case Selectors.LESS:
        return order < 0 ? own : Rate.all().findLast((rate) => Rate.compare(rate, wanted) < 0);
      case Selectors.EXACTLY:
        return order === 0 ? own : undefined;
      case Selectors.BEST:
        return own;
    }
  }

  #pkey(source: FabricPort, destination: FabricPort): PKey | undefined {
    if (this.#asked.has("rawTraffic") && this.wanted.rawTraffic) return PKeys.zero;
    if (!this.#asked.has("pkey")) return commonPkey(source, destination);
    const { pkey } = this.wanted;
    const mine = source.pkeys.find((one) => PKeys.samePartition(one, pkey));
    const theirs = destination.pkeys.find((one) => PKeys.samePartition(one, pkey));
    return mine !== undefined && theirs !== undefined && PKeys.canTalk(mine, theirs) ? pkey : undefined;
  }
}

const EMPTY = emptyPathRecord();

type PathParameters = Pick<PathRecord, "mtu" | "rate" | "packetLifeTime" | "pkey" | "sl">;

function lids(port: FabricPort): readonly Lid[] {
  if (port.lid === 0) return [];
  return Array.from({ length: 1 << port.lmc }, (_, offset) => Lid.from(port.lid + offset));
}

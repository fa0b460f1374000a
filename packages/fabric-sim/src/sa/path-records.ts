import {
  PATH_RECORD_COMPONENTS as C,
  ComponentMask,
  decodePathRecord,
  emptyPathRecord,
  encodePathRecord,
  Gid,
  Lid,
  MadMethod,
  MadStatus,
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

/** One query's way through the pairs of ports. Get stops at the first path. */
class PathQuery {
  readonly #mask: bigint;
  readonly #isGet: boolean;
  readonly #limit: number;
  readonly #records: Buffer[] = [];

  constructor(
    private readonly request: SaRequest,
    private readonly wanted: PathRecord,
    private readonly sm: SubnetManager,
  ) {
    this.#mask = request.mad.componentMask;
    this.#isGet = request.mad.method === MadMethod.GET;
    this.#limit = this.#isGet ? 1 : this.#has("numbPath") ? wanted.numbPath : Number.POSITIVE_INFINITY;
  }

  run(source: FabricPort | undefined, destination: FabricPort | undefined): readonly Buffer[] {
    const all = this.sm.subnet.endPorts;
    for (const to of destination === undefined ? all : [destination]) {
      for (const from of source === undefined ? all : [source]) {
        this.#addPair(from, to);
        if (this.#isGet && this.#records.length > 0) return this.#records;
      }
    }
    return this.#records;
  }

  #has(field: keyof typeof C): boolean {
    return ComponentMask.has(C, this.#mask, field);
  }

  /** Pairs of LIDs of two ports: first those that share no LID with another, then (preference 2) the others. */
  #addPair(source: FabricPort, destination: FabricPort): void {
    const { requester } = this.request;
    if (!sharePartition(requester, source) || !sharePartition(requester, destination)) return;
    if (!sharePartition(source, destination)) return;
    const slids = this.#has("slid") ? [this.wanted.slid] : lids(source);
    const dlids = this.#has("dlid") ? [this.wanted.dlid] : lids(destination);
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
    slids.forEach((slid, index) => {
      dlids.forEach((dlid, other) => {
        if (other !== index) add(slid, dlid, 2);
      });
    });
  }

  #path(source: FabricPort, destination: FabricPort, slid: Lid, dlid: Lid, preference: number): PathRecord | undefined {
    const forward = this.#parameters(source, destination, dlid);
    if (forward === undefined) return undefined;
    const isReversible = this.#parameters(destination, source, slid) !== undefined;
    if (this.#has("reversible") && this.wanted.reversible && !isReversible) return undefined;
    return emptyPathRecord({
      dgid: destination.gid,
      sgid: source.gid,
      dlid,
      slid,
      rawTraffic: false,
      reversible: isReversible,
      mtuSelector: Selectors.EXACTLY,
      rateSelector: Selectors.EXACTLY,
      packetLifeTimeSelector: Selectors.EXACTLY,
      preference,
      ...forward,
    });
  }

  /** What one direction can carry, brought in line with what the query wants; `undefined` if that cannot be. */
  #parameters(source: FabricPort, destination: FabricPort, dlid: Lid) {
    const limits = pathLimits(source, destination, dlid);
    if (limits === undefined) return undefined;
    const { wanted } = this;
    const mtu = this.#select("mtuSelector", "mtu", wanted.mtuSelector, wanted.mtu, limits.mtu);
    const rate = this.#selectRate(limits.rate);
    const ownLife = source === destination ? 0 : source.subnetTimeout;
    const life = this.#select(
      "packetLifeTimeSelector",
      "packetLifeTime",
      wanted.packetLifeTimeSelector,
      wanted.packetLifeTime,
      ownLife,
    );
    const pkey = this.#pkey(source, destination);
    if (mtu === undefined || rate === undefined || life === undefined || pkey === undefined) return undefined;
    const sl = this.#has("sl") ? wanted.sl : 0;
    return { mtu: mtu as PathRecord["mtu"], rate, packetLifeTime: source === destination ? 0 : life, pkey, sl };
  }

  /** A selector without its value, or a value without its selector, is no condition. */
  #select(
    selectorField: keyof typeof C,
    field: keyof typeof C,
    selector: Selector,
    wanted: number,
    own: number,
  ): number | undefined {
    if (!this.#has(selectorField) || !this.#has(field)) return own;
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
    if (!this.#has("rateSelector") || !this.#has("rate")) return own;
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
    if (this.#has("rawTraffic") && this.wanted.rawTraffic) return PKeys.zero;
    if (!this.#has("pkey")) return commonPkey(source, destination);
    const { pkey } = this.wanted;
    const mine = source.pkeys.find((one) => PKeys.samePartition(one, pkey));
    const theirs = destination.pkeys.find((one) => PKeys.samePartition(one, pkey));
    return mine !== undefined && theirs !== undefined && PKeys.canTalk(mine, theirs) ? pkey : undefined;
  }
}

function lids(port: FabricPort): readonly Lid[] {
  if (port.lid === 0) return [];
  return Array.from({ length: 1 << port.lmc }, (_, offset) => Lid.from(port.lid + offset));
}

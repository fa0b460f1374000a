import {
  decodeInformInfo,
  decodePathRecord,
  decodeSaMad,
  emptyPathRecord,
  encodePathRecord,
  encodeSaMad,
  encodeSaTable,
  Gid,
  type Guid,
  type Lid,
  MadMethod,
  MadStatus,
  type Mtu,
  type PathRecord,
  PKey,
  type Rate,
  SaAttribute,
  type SaMad,
  Selector,
} from "@verbena/ib";
import type { MadAddress } from "@verbena/native";

/** A query as it reached the fake SA. */
export interface FakeSaQuery {
  readonly mad: SaMad;
  readonly device: string;
  readonly port: number;
  readonly to: MadAddress;
  /** 0 for the first send, 1 for the first repeat … */
  readonly attempt: number;
}

/** What the fake SA does with one query. */
export type FakeSaAction =
  | {
      readonly type: "reply";
      /** MAD status, host form; default 0. */
      readonly status?: number;
      /** Default: the record of the query comes back. More than one, or `table`, makes a reassembled RMPP answer. */
      readonly records?: readonly Buffer[];
      readonly delayMs?: number;
      /** Instead of the query's transaction id (low half). */
      readonly tid?: bigint;
      readonly copies?: number;
      /** Where it seems to come from, if not from where the query went. */
      readonly from?: Partial<MadAddress>;
    }
  | { readonly type: "silent" };

/** Decides what becomes of a query; several actions make several answers. */
export type FakeSaHandler = (query: FakeSaQuery) => FakeSaAction | readonly FakeSaAction[];

/** A destination the fake SA knows. */
export interface FakePeer {
  readonly guid: Guid;
  readonly lid: Lid;
}

const SILENT: FakeSaAction = { type: "silent" };

/** A subnet administrator by script: set {@link FakeSa.handler}, or name peers and let it answer PathRecord queries about them. */
export class FakeSa {
  readonly peers: FakePeer[] = [];
  /** Every query received, repeats included; subscriptions are not among them. */
  readonly queries: FakeSaQuery[] = [];
  /** Trap numbers subscribed to, in order. */
  readonly subscriptions: number[] = [];
  /** How subscriptions are answered: with a copy, unless set. */
  subscribing: FakeSaHandler = ({ mad }) => {
    const { subscribe, trapNumber } = decodeInformInfo(mad.data);
    const at = this.subscriptions.indexOf(trapNumber);
    if (subscribe && at < 0) this.subscriptions.push(trapNumber);
    if (!subscribe && at >= 0) this.subscriptions.splice(at, 1);
    return { type: "reply" };
  };
  handler: FakeSaHandler = (query) => this.answerPath(query);

  /** Never answers. */
  static readonly silent: FakeSaHandler = () => SILENT;

  /** Answers BUSY (MAD status 0x0001) to everything. */
  static readonly busy: FakeSaHandler = () => ({ type: "reply", status: MadStatus.BUSY });

  /** Remembers the query and asks the handler. */
  receive(query: FakeSaQuery): readonly FakeSaAction[] {
    const isSubscription = query.mad.attributeId === SaAttribute.INFORM_INFO;
    if (!isSubscription) this.queries.push(query);
    const actions = isSubscription ? this.subscribing(query) : this.handler(query);
    return Array.isArray(actions) ? (actions as readonly FakeSaAction[]) : [actions as FakeSaAction];
  }

  /** The default handler: PathRecord by destination GID or LID among {@link FakeSa.peers}, else NO_RECORDS. */
  answerPath(query: FakeSaQuery): FakeSaAction {
    if (query.mad.attributeId !== SaAttribute.PATH_RECORD) {
      return { type: "reply", status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };
    }
    const asked = decodePathRecord(query.mad.data);
    const peer = this.peers.find((candidate) =>
      asked.dlid === 0 ? candidate.guid === Gid.guid(asked.dgid) : candidate.lid === asked.dlid,
    );
    if (peer === undefined) return { type: "reply", status: MadStatus.SA_NO_RECORDS };
    return { type: "reply", records: [encodePathRecord(fakePath(asked, peer))] };
  }
}

/** The path the fake SA gives: as OpenSM fills it (spec 5.4), 2048 bytes, 40 Gb/s. */
export function fakePath(asked: PathRecord, peer: FakePeer): PathRecord {
  return {
    ...emptyPathRecord(),
    dgid: asked.dgid === Gid.zero ? Gid.of(Gid.linkLocalPrefix, peer.guid) : asked.dgid,
    sgid: asked.sgid,
    dlid: peer.lid,
    slid: asked.slid,
    pkey: asked.pkey === 0 ? PKey.DEFAULT : asked.pkey,
    reversible: true,
    mtuSelector: Selector.EXACTLY,
    mtu: 4 as Mtu,
    rateSelector: Selector.EXACTLY,
    rate: 7 as Rate,
    packetLifeTimeSelector: Selector.EXACTLY,
    packetLifeTime: 18,
  };
}

/** The bytes of an answer, as an agent with RMPP version 1 receives them. */
export function encodeFakeAnswer(query: SaMad, tid: bigint, action: Extract<FakeSaAction, { type: "reply" }>): Buffer {
  const status = action.status ?? 0;
  const common = {
    method: RESPONSES[query.method] ?? query.method | MadMethod.RESPONSE,
    tid,
    attributeId: query.attributeId,
    attributeModifier: query.attributeModifier,
    componentMask: query.componentMask,
    status,
  };
  if (query.method === MadMethod.GET_TABLE && status === 0) {
    return encodeSaTable({ ...common, records: action.records ?? [] });
  }
  return encodeSaMad({ ...common, record: action.records?.[0] ?? query.data });
}

const RESPONSES: Readonly<Record<number, number>> = {
  [MadMethod.SET]: MadMethod.GET_RESP,
  [MadMethod.DELETE]: MadMethod.DELETE_RESP,
};

/** The query inside a sent MAD. */
export function readFakeQuery(mad: Uint8Array): SaMad {
  return decodeSaMad(Buffer.from(mad));
}

import {
  decodeMadHeader,
  decodeRmppHeader,
  decodeSaMad,
  encodeSaTable,
  MAD_SIZE,
  MadMethod,
  MadStatus,
  type Notice,
  RmppFlag,
  RmppType,
  SA_DATA_OFFSET,
  type SaMad,
} from "@verbena/ib";
import type { Fabric } from "../fabric/fabric.js";
import type { FabricPort } from "../fabric/port.js";
import type { Gsi, GsiMad } from "../gsi/gsi.js";
import type { SubnetManager } from "../sm/subnet-manager.js";
import { AnswerOutbox } from "./answer-outbox.js";
import { SA_ATTRIBUTES } from "./attribute-handlers.js";
import type { SaAnswer, SaRecords } from "./handler.js";
import { Notifier } from "./notifier.js";
import { ReportSender } from "./report-sender.js";
import { RmppSender } from "./rmpp-sender.js";
import { SaBehaviour } from "./sa-behaviour.js";
import { SaCounters } from "./sa-counters.js";
import { SaRequesters } from "./sa-requesters.js";
import { ServiceRegistry } from "./service-registry.js";
import { Subscriptions } from "./subscriptions.js";

/** SM_Key that OpenSM trusts by default; 0 is an ordinary request, other keys are not answered. */
const TRUSTED_KEY = 1n;
const CLASS_VERSION = 2;
const RMPP_OFFSET = 24;
const ATTRIBUTE_OFFSET_AT = 44;

const METHOD_NAMES: ReadonlyMap<number, string> = new Map([
  [MadMethod.GET, "Get"],
  [MadMethod.SET, "Set"],
  [MadMethod.GET_TABLE, "GetTable"],
  [MadMethod.DELETE, "Delete"],
  [MadMethod.GET_MULTI, "GetMulti"],
  [MadMethod.GET_TRACE_TABLE, "GetTraceTable"],
]);

/** The built-in subnet administrator: takes MADs of class 3 at the subnet manager's port and answers them. */
export class SaServer {
  readonly behaviour: SaBehaviour;
  readonly counters = new SaCounters();
  readonly requesters = new SaRequesters();
  readonly services: ServiceRegistry;
  readonly subscriptions = new Subscriptions();
  readonly reports: ReportSender;
  readonly #notifier: Notifier;
  readonly #outbox: AnswerOutbox;
  readonly #transfers = new Map<string, RmppSender>();

  constructor(
    private readonly sm: SubnetManager,
    private readonly gsi: Gsi,
    private readonly fabric: Fabric,
  ) {
    const { clock } = fabric.services;
    this.behaviour = new SaBehaviour(clock);
    this.#outbox = new AnswerOutbox(clock);
    this.services = new ServiceRegistry(clock);
    this.reports = new ReportSender(clock, (to, mad) => {
      this.gsi.send(this.sm.port, this.sm.port.lid, to, mad);
    });
    this.#notifier = new Notifier(sm, fabric, this.subscriptions, this.services, this.reports);
  }

  /** Takes a MAD for the SA: a request, or a segment acknowledgement. */
  receive(incoming: GsiMad): void {
    const mad = decodeSaMad(incoming.mad);
    const rmpp = decodeRmppHeader(incoming.mad, RMPP_OFFSET);
    if ((rmpp.flags & RmppFlag.ACTIVE) !== 0 && rmpp.type !== RmppType.DATA) {
      this.#transfers.get(transferKey(incoming, mad.tid))?.receive(incoming.mad);
      return;
    }
    if ((mad.method & MadMethod.RESPONSE) !== 0 || mad.method === MadMethod.TRAP_REPRESS) return;
    this.#answer(incoming, mad);
  }

  /** Takes a ReportResp that arrived at the manager's port; true if a report of ours waited for it. */
  acknowledge({ mad, remoteLid }: Pick<GsiMad, "mad" | "remoteLid">): boolean {
    return this.reports.acknowledge(decodeSaMad(mad).tid, remoteLid);
  }

  /** Tells subscribers of a notice that `issuer` gave. */
  report(notice: Notice, issuer: FabricPort): void {
    this.#notifier.report(notice, issuer);
  }

  close(): void {
    this.behaviour.close();
    this.#outbox.close();
    this.#notifier.close();
    this.reports.close();
    this.services.clear();
    for (const transfer of this.#transfers.values()) transfer.close();
    this.#transfers.clear();
  }

  #answer(incoming: GsiMad, mad: SaMad): void {
    const attribute = SA_ATTRIBUTES.get(mad.attributeId);
    const method = METHOD_NAMES.get(mad.method);
    if (this.behaviour.mode === "silent") {
      this.counters.unanswered++;
      return;
    }
    if (this.behaviour.mode === "busy") {
      this.counters.busy++;
      this.#refuse(incoming, MadStatus.BUSY);
      return;
    }
    if (mad.smKey !== 0n && mad.smKey !== TRUSTED_KEY) return;
    const requester = this.sm.subnet.portByLid(incoming.remoteLid);
    if (requester === undefined) return;
    if (mad.classVersion > CLASS_VERSION) return this.#refuse(incoming, MadStatus.BAD_VERSION);
    if (method === undefined) return this.#refuse(incoming, MadStatus.METHOD_NOT_SUPPORTED);
    if (attribute === undefined) return this.#refuse(incoming, MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED);

    const counter = this.counters.request(attribute.name, method);
    this.requesters.opened(requester, `${attribute.name} ${method}`, transferKey(incoming, mad.tid));
    const { remoteLid: lid, remoteQpn: qpn, pkey, sl } = incoming;
    const request = { mad, requester, address: { lid, qpn, pkey, sl }, isTrusted: mad.smKey === TRUSTED_KEY };
    const answer = attribute.answer(request, this.sm, this);
    const checked = this.#check(mad, answer);
    if ("status" in checked) {
      counter.failures++;
      this.#refuse(incoming, checked.status, checked.record);
      return;
    }
    counter.records += checked.records.length;
    this.#respond(incoming, mad, checked);
  }

  /** A Get has exactly one answer; a table may be empty. */
  #check(mad: SaMad, answer: SaAnswer): SaAnswer {
    if ("status" in answer || mad.method === MadMethod.GET_TABLE) return answer;
    if (answer.records.length > 1) return { status: MadStatus.SA_TOO_MANY_RECORDS };
    return answer.records.length === 0 ? { status: MadStatus.SA_NO_RECORDS } : answer;
  }

  #respond(incoming: GsiMad, mad: SaMad, { records, size, attributeOffset }: SaRecords): void {
    const message = encodeSaTable({
      method: responseMethod(mad.method),
      tid: mad.tid,
      attributeId: mad.attributeId,
      attributeModifier: mad.attributeModifier,
      componentMask: mad.componentMask,
      records,
      // An empty table has offset 0, as OpenSM's has.
      recordSize: records.length === 0 ? 0 : size,
    });
    if (attributeOffset !== undefined) message.writeUInt16BE(attributeOffset, ATTRIBUTE_OFFSET_AT);
    if (mad.method !== MadMethod.GET_TABLE) {
      const single = Buffer.alloc(MAD_SIZE);
      single.set(message.subarray(0, MAD_SIZE));
      this.#reply(incoming, single);
      return;
    }
    const key = transferKey(incoming, mad.tid);
    this.#transfers.get(key)?.close();
    const sender = new RmppSender({
      message,
      clock: this.fabric.services.clock,
      send: (segment) => {
        this.#reply(incoming, segment);
      },
      onEnd: () => {
        if (this.#transfers.get(key) === sender) this.#transfers.delete(key);
      },
    });
    this.#transfers.set(key, sender);
    sender.start();
  }

  #reply(incoming: GsiMad, answer: Buffer): void {
    const requester = this.sm.subnet.portByLid(incoming.remoteLid);
    const key = transferKey(incoming, decodeMadHeader(answer).tid);
    this.#outbox.post(this.behaviour, answer, (mad) => {
      if (requester !== undefined) this.requesters.answered(requester, key);
      this.gsi.reply(incoming, mad);
    });
  }

  /** An error answer repeats the request, record included, without SM_Key. */
  #refuse(incoming: GsiMad, status: number, record?: Buffer): void {
    const request = decodeSaMad(incoming.mad);
    const response = Buffer.from(incoming.mad);
    response.writeUInt8(responseMethod(request.method), 3);
    response.writeUInt16BE(status, 4);
    response.fill(0, RMPP_OFFSET, SA_DATA_OFFSET - 12);
    if (record !== undefined) response.set(record, SA_DATA_OFFSET);
    this.#reply(incoming, response);
  }
}

function responseMethod(method: number): number {
  return (method === MadMethod.SET ? MadMethod.GET : method) | MadMethod.RESPONSE;
}

function transferKey({ remoteLid, remoteQpn }: GsiMad, tid: bigint): string {
  return `${remoteLid} ${remoteQpn} ${tid}`;
}

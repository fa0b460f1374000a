import { decodeNotice, decodeSaMad, encodeSaMad, MadMethod, MgmtClass, SaAttribute, type SaMad } from "@verbena/ib";
import type { UmadAgent, UmadMessage, UmadPort, UmadService } from "@verbena/native";
import { isFromSa } from "../sa-client/sa-address.js";
import type { Port } from "../sdk/endpoint.js";
import type { SaNotice } from "../sdk/sa-notice.js";
import type { Clock, Metrics } from "../sdk/services.js";
import { readNotice } from "./read-notice.js";

/** A report with the transaction id and the bytes of one heard a moment ago is a repeat whose acknowledgement got lost. */
const REPEAT_MS = 10_000;
/** Reports remembered for that. */
const MAX_REMEMBERED = 256;

export interface ReportAgentOptions {
  readonly umad: UmadService;
  readonly port: Port;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly onNotice: (notice: SaNotice) => void;
  /** The agent gives nothing any more. */
  readonly onFailure: (cause: unknown) => void;
}

/**
 * Takes the SA's reports on one port and acknowledges each (IBA 13.4.11). The kernel gives a method of a class to one agent of a port: who
 * registers second is refused. Only what comes from the SA itself counts ({@link isFromSa}).
 */
export class ReportAgent {
  readonly #options: ReportAgentOptions;
  readonly #umadPort: UmadPort;
  readonly #agent: UmadAgent;
  readonly #reader: Promise<void>;
  /** Until when a report counts as heard, oldest first. */
  readonly #heard = new Map<string, number>();
  #port: Port;
  #closing: Promise<void> | undefined;

  /** Throws what opening the umad port or registering the agent throws. */
  constructor(options: ReportAgentOptions) {
    this.#options = options;
    this.#port = options.port;
    this.#umadPort = options.umad.openPort(options.port.device, options.port.port);
    try {
      const methods = [MadMethod.REPORT];
      this.#agent = this.#umadPort.registerAgent({ mgmtClass: MgmtClass.SUBN_ADM, classVersion: 2, methods });
    } catch (error) {
      void this.#umadPort.close();
      throw error;
    }
    this.#reader = this.#read();
  }

  /** The port's new snapshot: the SM may be another one. */
  update(port: Port): void {
    this.#port = port;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#closing ??= this.#agent.close().then(() => this.#umadPort.close());
    await this.#closing;
    await this.#reader;
  }

  async #read(): Promise<void> {
    try {
      for await (const message of this.#agent.messages()) this.#count(this.#receive(message));
    } catch (cause) {
      this.#options.onFailure(cause);
    }
  }

  #receive(message: UmadMessage): "taken" | "repeated" | "foreign" | "malformed" {
    const report = readReport(message);
    if (report === undefined) return "malformed";
    if (!isFromSa(this.#port, message.from)) return "foreign";
    this.#acknowledge(report, message);
    if (this.#isRepeat(report)) return "repeated";
    this.#options.onNotice(report.notice);
    return "taken";
  }

  #acknowledge({ tid, data }: SaMad, { from }: UmadMessage): void {
    const answer = encodeSaMad({ method: MadMethod.REPORT_RESP, tid, attributeId: SaAttribute.NOTICE, record: data });
    const { lid, qpn, sl = 0, pkeyIndex = 0 } = from;
    try {
      this.#agent.send(answer, { to: { lid, qpn, sl, pkeyIndex }, timeoutMs: 0, retries: 0 });
    } catch {
      // The SA repeats the report.
      this.#count("unacknowledged");
    }
  }

  #isRepeat({ tid, data }: SaMad): boolean {
    const now = this.#options.clock.now();
    for (const [key, until] of this.#heard) {
      if (until > now && this.#heard.size < MAX_REMEMBERED) break;
      this.#heard.delete(key);
    }
    const key = `${tid.toString(16)} ${data.toString("latin1")}`;
    if (this.#heard.has(key)) return true;
    this.#heard.set(key, now + REPEAT_MS);
    return false;
  }

  #count(outcome: string): void {
    const port = `${this.#port.device}/${this.#port.port}`;
    this.#options.metrics.increment("verbena_sa_reports_total", { port, outcome });
  }
}

/** A report, and what it says. */
type Report = SaMad & { readonly notice: SaNotice };

function readReport(message: UmadMessage): Report | undefined {
  if (message.status !== 0) return undefined;
  try {
    const mad = decodeSaMad(message.mad);
    if (mad.method !== MadMethod.REPORT || mad.attributeId !== SaAttribute.NOTICE) return undefined;
    return { ...mad, notice: readNotice(decodeNotice(mad.data)) };
  } catch {
    return undefined;
  }
}

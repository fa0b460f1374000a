import { ACM_FLAG, type AcmAddressRecord, acmAddressRecord, decodePerfReply, encodePerfRequest } from "@verbena/ib";
import { detectFormat, ipAddress, nameAddress, type TypedAddress } from "./address.js";
import { errnoText, statusText } from "./errno-text.js";
import type { AcmeOptions } from "./options.js";
import type { Print } from "./print.js";
import { type Service, ServiceBroken } from "./service.js";

const NAMES = [
  "Error Count",
  "Resolve Count",
  "No Data",
  "Addr Query Count",
  "Addr Cache Count",
  "Route Query Count",
  "Route Cache Count",
] as const;

/** Endpoints that `-P all` asks for at most: the index has one byte on the wire. */
const LAST_INDEX = 255;

/** Prints counters; one object for all services of a run, since the header of the rows is printed once. */
export class PerfReport {
  #hasHeader = false;

  constructor(
    private readonly options: AcmeOptions,
    private readonly print: Print,
  ) {}

  /** Asks one service. Failures are printed and change no status. */
  async query(service: Service, name: string): Promise<void> {
    const { perf, endpointIndex } = this.options;
    if (perf === "every") {
      await this.#every(service, name);
      return;
    }
    const record = perf === "address" ? await this.#addressRecord() : [];
    const index = perf === "address" ? 0 : endpointIndex & 0xff;
    const answer = typeof record === "string" ? record : await ask(service, index, record);
    if (typeof answer === "string") this.print(`${name}: Failed to query perf data: ${answer}`);
    else if (perf === "column") this.#column(name, answer);
    else this.#row(name, answer);
  }

  /** Endpoint 1, 2, 3 … until the service says there is no more. */
  async #every(service: Service, name: string): Promise<void> {
    for (let index = 1; index <= LAST_INDEX; index++) {
      const answer = await ask(service, index, []);
      if (typeof answer === "string") return;
      this.#row(name, answer);
    }
  }

  #row(name: string, counters: readonly bigint[]): void {
    if (!this.#hasHeader) this.print(["svc", ...NAMES.slice(0, counters.length)].join(","));
    this.#hasHeader = true;
    this.print([name, ...counters].join(","));
  }

  #column(name: string, counters: readonly bigint[]): void {
    this.print(name);
    for (const [n, value] of counters.entries()) this.print(`${NAMES[n] ?? ""} : ${value}`);
  }

  /** The record that names an endpoint by the source address; the text of a failure, printed in part already. */
  async #addressRecord(): Promise<readonly AcmAddressRecord[] | string> {
    const { source = "", format } = this.options;
    const typed: TypedAddress = format === undefined ? await detectFormat(source) : { text: source, format };
    const { text } = typed;
    if (typed.format === "l" || typed.format === "g") {
      this.print(`Unsupported src_type ${typed.format.charCodeAt(0)}`);
      return errnoText("ENOENT");
    }
    const address = typed.format === "i" ? ipAddress(text) : nameAddress(text);
    if (address !== undefined) return [acmAddressRecord(ACM_FLAG.SOURCE, address)];
    if (typed.format === "i") this.print(`inet_pton error on src address (${text}): 0x0`);
    return errnoText("ENOENT");
  }
}

async function ask(
  service: Service,
  endpointIndex: number,
  records: readonly AcmAddressRecord[],
): Promise<readonly bigint[] | string> {
  try {
    const reply = decodePerfReply(await service.exchange(encodePerfRequest({ endpointIndex, records })));
    return reply.status === 0 ? reply.counters.slice(0, NAMES.length) : statusText(reply.status);
  } catch (error) {
    return error instanceof ServiceBroken ? error.text : errnoText("EPROTO");
  }
}

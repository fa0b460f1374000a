import {
  ACM_FLAG,
  ACM_TYPE,
  type AcmAddressRecord,
  acmAddressOf,
  acmAddressRecord,
  decodeResolveReply,
  emptyPathRecord,
  encodeResolveRequest,
  IpAddress,
  type PathRecord,
} from "@verbena/ib";
import { detectFormat, gidOf, ipAddress, lidOf, nameAddress, type TypedAddress } from "./address.js";
import { expandList } from "./bracket-list.js";
import { errnoText, statusText } from "./errno-text.js";
import type { AcmeOptions } from "./options.js";
import type { Print } from "./print.js";
import { type Service, ServiceBroken } from "./service.js";
import { showPath } from "./show-path.js";

/** A resolution that failed: what to print. */
class Failed extends Error {
  constructor(readonly text: string) {
    super(text);
  }
}

/** What is asked for a destination, and how its failure is called. */
interface Question {
  readonly call: "ib_acm_resolve_ip" | "ib_acm_resolve_name" | "ib_acm_resolve_path";
  readonly records: readonly AcmAddressRecord[];
}

/** Resolves every destination from every source, printing as it goes. Gives the status of the last one. */
export async function resolveAll(service: Service, name: string, options: AcmeOptions, print: Print): Promise<number> {
  let status = -1;
  print(`Service: ${name}`);
  for (const text of expandList(options.destination ?? "")) {
    const destination = options.format === undefined ? await detectFormat(text) : { text, format: options.format };
    const sources = options.source === undefined ? [undefined] : expandList(options.source);
    for (const source of sources) {
      print(`Destination: ${destination.text}`);
      if (source !== undefined) print(`Source: ${source}`);
      status = await resolveOne(service, destination, source, options, print);
      print("");
    }
  }
  return status;
}

async function resolveOne(
  service: Service,
  destination: TypedAddress,
  source: string | undefined,
  options: AcmeOptions,
  print: Print,
): Promise<number> {
  try {
    const question = ask(destination, source, options.noDelay);
    const path = await repeat(service, question, options, print);
    if (path === undefined) return -1;
    showPath(path, print);
    return options.verify ? await verify(service, path, print) : 0;
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    print(error.text);
    return -1;
  }
}

/** Asks as often as wanted; gives the path of the last answer, or `undefined` if that was a failure. */
async function repeat(
  service: Service,
  { call, records }: Question,
  { repetitions }: AcmeOptions,
  print: Print,
): Promise<Buffer | undefined> {
  // A source in the answer to a path request is passed over.
  const showsSource = call !== "ib_acm_resolve_path";
  let path: Buffer | undefined;
  for (let n = 0; n < repetitions; n++) {
    const answer = await exchange(service, records);
    path = typeof answer === "string" ? undefined : answer.path;
    if (typeof answer === "string") print(`${call} failed: ${answer}`);
    else if (repetitions === 1 && showsSource && answer.source !== undefined) print(`Source: ${answer.source}`);
  }
  return path;
}

/** Sends the path back with the wish that the subnet administrator confirm it. */
async function verify(service: Service, path: Buffer, print: Print): Promise<number> {
  const answer = await exchange(service, [{ flags: ACM_FLAG.QUERY_SA, type: ACM_TYPE.PATH, info: path }]);
  print(typeof answer === "string" ? `SA verification: failed ${answer}` : "SA verification: success");
  return typeof answer === "string" ? -1 : 0;
}

/** One request; the text of its failure, or the path bytes and the source of its reply. */
async function exchange(
  service: Service,
  records: readonly AcmAddressRecord[],
): Promise<string | { readonly path: Buffer; readonly source?: string }> {
  try {
    const reply = decodeResolveReply(await service.exchange(encodeResolveRequest({ records })));
    if (reply.status !== 0) return statusText(reply.status);
    const path = reply.records.find(({ type }) => type === ACM_TYPE.PATH)?.info ?? Buffer.alloc(64);
    const source = reply.source === undefined ? undefined : sourceText(reply.source);
    return source === undefined ? { path } : { path, source };
  } catch (error) {
    return error instanceof ServiceBroken ? error.text : errnoText("EPROTO");
  }
}

function sourceText(record: AcmAddressRecord): string | undefined {
  const address = acmAddressOf(record);
  if (address.type === "ip4" || address.type === "ip6") return IpAddress.fromBytes(address.address);
  return address.type === "name" ? address.name : undefined;
}

/** The source is read in the destination's format. */
function ask({ text, format }: TypedAddress, source: string | undefined, noDelay: boolean): Question {
  const flags = noDelay ? ACM_FLAG.NODELAY : 0;
  switch (format) {
    case "i":
      return { call: "ib_acm_resolve_ip", records: ipRecords(text, source, flags) };
    case "n":
      return { call: "ib_acm_resolve_name", records: nameRecords(text, source, flags) };
    case "l":
      return pathQuestion(flags, { dlid: lidOf(text), ...(source === undefined ? {} : { slid: lidOf(source) }) });
    case "g":
      return pathQuestion(flags, gidFields(text, source));
  }
}

function ipRecords(text: string, source: string | undefined, flags: number): readonly AcmAddressRecord[] {
  const from = source === undefined ? undefined : ipAddress(source);
  if (source !== undefined && from === undefined) throw notAnAddress("source", source);
  const to = ipAddress(text);
  if (to === undefined) throw notAnAddress("destination", text);
  if (from !== undefined && from.type !== to.type) {
    throw new Failed("source and destination address families don't match");
  }
  const record = acmAddressRecord(ACM_FLAG.DEST | flags, to);
  return from === undefined ? [record] : [acmAddressRecord(ACM_FLAG.SOURCE, from), record];
}

function nameRecords(text: string, source: string | undefined, flags: number): readonly AcmAddressRecord[] {
  const from = source === undefined ? undefined : nameAddress(source);
  const to = nameAddress(text);
  if (to === undefined || (source !== undefined && from === undefined)) {
    throw new Failed(`ib_acm_resolve_name failed: ${errnoText("EINVAL")}`);
  }
  const record = acmAddressRecord(ACM_FLAG.DEST | flags, to);
  return from === undefined ? [record] : [acmAddressRecord(ACM_FLAG.SOURCE, from), record];
}

function gidFields(text: string, source: string | undefined): Partial<PathRecord> {
  const sgid = source === undefined ? undefined : gidOf(source);
  if (source !== undefined && sgid === undefined) throw notAnAddress("source", source);
  const dgid = gidOf(text);
  if (dgid === undefined) throw notAnAddress("dest", text);
  return sgid === undefined ? { dgid } : { dgid, sgid };
}

function pathQuestion(flags: number, fields: Partial<PathRecord>): Question {
  const path = { ...emptyPathRecord(), reversible: true, numbPath: 1, ...fields };
  return { call: "ib_acm_resolve_path", records: [acmAddressRecord(flags, { type: "path", path })] };
}

function notAnAddress(which: "source" | "destination" | "dest", text: string): Failed {
  return new Failed(`inet_pton error on ${which} address (${text}): 0x0`);
}

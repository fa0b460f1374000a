import { Gid, type IpAddress, type Lid, type PathRecord } from "@verbena/ib";
import type { EndMarks, EntryContent, ValueCodec } from "../cache/entry-rows.js";
import { Destination } from "../sdk/destination.js";
import type { AddressValue } from "./address-question.js";
import { PathForms } from "./path-forms.js";
import type { RouteValue } from "./route-question.js";

/** Places within a codec's bytes: the GID, the LID, and one more word. */
const [LID_AT, MORE_AT] = [16, 18];

/** What entries have in their bytes that lead to one of these. */
export function endMarks(ends: Iterable<Gid | Lid>): EndMarks {
  const [words, lids] = [new Set<number>(), new Set<number>()];
  for (const end of ends) {
    if (typeof end === "bigint") words.add(Number(end & 0xffff_ffffn));
    else lids.add(end);
  }
  return { words, lids };
}

function leadsTo(bytes: Buffer, at: number, { words, lids }: EndMarks): boolean {
  return words.has(bytes.readUInt32BE(at + 12)) || lids.has(bytes.readUInt16LE(at + LID_AT));
}

/** Addresses that say a GID, and perhaps a LID, and nothing else, of names in lower case and IPs as they are written. */
export const addressCodec: ValueCodec<AddressValue> = {
  leadsTo,
  write(key, { subject, value: { answer } }, bytes, at) {
    const { gid, lid } = answer;
    const known = (gid === undefined ? 0 : 1) + (lid === undefined ? 0 : 1);
    if (gid === undefined || Object.keys(answer).length !== known || subjectOf(key)?.text !== subject.text)
      return false;
    Gid.write(bytes, at, gid);
    bytes.writeUInt16LE(lid ?? 0, at + LID_AT);
    bytes.writeUInt16LE(lid === undefined ? 0 : 1, at + MORE_AT);
    return true;
  },
  read(key, bytes, at) {
    const gid = Gid.read(bytes, at);
    const lid = bytes.readUInt16LE(at + LID_AT) as Lid;
    const answer = bytes.readUInt16LE(at + MORE_AT) === 0 ? { gid } : { gid, lid };
    return { subject: subjectOf(key) ?? Destination.gid(gid), value: { answer, routeKey: undefined } };
  },
};

/** The destination whose key stands behind an endpoint's prefix; `undefined`: it is neither a name nor an IP. */
function subjectOf(key: string): Destination | undefined {
  const at = key.indexOf(":") + 1;
  const text = key.slice(at + 1);
  if (key[at] === "n") return { kind: "name", name: text, text };
  return key[at] === "i" ? Destination.ip(text as IpAddress) : undefined;
}

/** Single paths. */
export class RouteCodec implements ValueCodec<RouteValue> {
  readonly #forms = new PathForms();
  readonly leadsTo = leadsTo;

  write(key: string, { subject, value: { paths } }: EntryContent<RouteValue>, bytes: Buffer, at: number): boolean {
    const [path] = paths;
    if (path === undefined || paths.length !== 1 || subjectOfRoute(key, path).text !== subject.text) return false;
    return this.#forms.write(path, bytes, at);
  }

  read(key: string, bytes: Buffer, at: number): EntryContent<RouteValue> {
    const path = this.#forms.read(bytes, at);
    return { subject: subjectOfRoute(key, path), value: { paths: [path] } };
  }

  release(bytes: Buffer, at: number): void {
    this.#forms.release(bytes, at);
  }
}

/** What a question for this path is about: the GID, if it has one; else the LID. */
function subjectOfRoute(key: string, path: PathRecord): Destination {
  return /^[^:]*:r(?:l\d+)?g/.test(key) ? Destination.gid(path.dgid) : Destination.lid(path.dlid);
}

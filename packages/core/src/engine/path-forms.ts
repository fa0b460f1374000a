import { decodePathRecord, emptyPathRecord, encodePathRecord, Gid, type Lid, type PathRecord } from "@verbena/ib";
import { UseCounts } from "../cache/use-counts.js";

/** Places of DGID and DLID in a PathRecord. */
const [DGID_AT, DLID_AT] = [8, 40];
/** Places in what is written: the DGID, the DLID, and the number of the form. */
const [LID_AT, FORM_AT] = [16, 18];
/** Paths of one endpoint differ little but in where they lead. Where they do, more of them are not packed. */
const MOST_FORMS = 256;

const NAMES = Object.keys(emptyPathRecord()) as readonly (keyof PathRecord)[];

/** Bytes of a packed path. */
export const PACKED_PATH_BYTES = 20;

/** Paths as 20 bytes each. What they have in common with others, all but where they lead, is kept once. */
export class PathForms {
  readonly #forms = new UseCounts<string>();
  readonly #records: (PathRecord | undefined)[] = [];

  /** False: this one could not be given back exactly, or is of too unusual a form. */
  write(path: PathRecord, bytes: Buffer, at: number): boolean {
    const record = exactly(path);
    if (record === undefined) return false;
    record.copy(bytes, at, DGID_AT, DGID_AT + Gid.SIZE);
    bytes.writeUInt16LE(path.dlid, at + LID_AT);
    const form = record.fill(0, DGID_AT, DGID_AT + Gid.SIZE).fill(0, DLID_AT, DLID_AT + 2);
    const text = form.toString("latin1");
    if (this.#forms.size >= MOST_FORMS && !this.#forms.has(text)) return false;
    const number = this.#forms.take(text);
    this.#records[number] ??= decodePathRecord(form);
    bytes.writeUInt16LE(number, at + FORM_AT);
    return true;
  }

  read(bytes: Buffer, at: number): PathRecord {
    const form = this.#records[bytes.readUInt16LE(at + FORM_AT)];
    if (form === undefined) throw new RangeError("a path that nobody has written");
    return { ...form, dgid: Gid.read(bytes, at), dlid: bytes.readUInt16LE(at + LID_AT) as Lid };
  }

  /** The path is not needed any more. */
  release(bytes: Buffer, at: number): void {
    const number = bytes.readUInt16LE(at + FORM_AT);
    if (this.#forms.release(number)) this.#records[number] = undefined;
  }
}

/** The record's bytes, if it is one that they give back exactly: a provider may have left something out, or put something in. */
function exactly(path: PathRecord): Buffer | undefined {
  try {
    const bytes = encodePathRecord(path);
    const same = decodePathRecord(bytes);
    for (const name of NAMES) if (same[name] !== path[name]) return undefined;
    return Object.keys(path).length === NAMES.length ? bytes : undefined;
  } catch {
    return undefined;
  }
}

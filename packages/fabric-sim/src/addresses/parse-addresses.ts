import { IpAddress, PKey } from "@verbena/ib";
import { simError } from "../errors.js";

/** `NODE[PORT] IP/PREFIX [PKEY]`, not yet looked up in the fabric. */
export interface AddressLine {
  /** `file:line`. */
  readonly place: string;
  /** `NODE` or `NODE[PORT]`; may hold spaces. */
  readonly end: string;
  readonly address: IpAddress;
  readonly prefixLength: number;
  readonly pkey: PKey;
}

/** Reads an addresses file; `#` begins a comment. @throws VerbenaError `VERBENA_SIM_ADDRESS_SYNTAX` with `file:line` */
export function parseAddresses(text: string, file = "addresses"): readonly AddressLine[] {
  const lines: AddressLine[] = [];
  text.split(/\r?\n/).forEach((raw, index) => {
    const line = raw.replace(/(?:^|\s)#.*$/, "").trim();
    if (line === "") return;
    const place = `${file}:${index + 1}`;
    const [, end, address, pkey] = /^(.+?)\s+([0-9a-fA-F.:]+(?:\/\S*)?)(?:\s+(\S+))?$/.exec(line) ?? [];
    if (end === undefined || address === undefined) throw syntax(place, `cannot read "${line}"`);
    lines.push({ place, end, ...parsePrefixed(address, place), pkey: parsePkey(pkey, place) });
  });
  return lines;
}

/** Reads `IP/PREFIX`. @throws VerbenaError `VERBENA_SIM_ADDRESS_SYNTAX` */
export function parsePrefixed(
  text: string,
  place: string,
): { readonly address: IpAddress; readonly prefixLength: number } {
  const [ip = "", prefix, more] = text.split("/");
  const address = IpAddress.tryParse(ip);
  if (address === undefined || more !== undefined) throw syntax(place, `"${text}" is no IP address`);
  const longest = IpAddress.family(address) === 4 ? 32 : 128;
  if (prefix === undefined) throw syntax(place, `"${text}" has no prefix length`);
  const prefixLength = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (!(prefixLength <= longest)) throw syntax(place, `"${prefix}" is no prefix length from 0 to ${longest}`);
  return { address, prefixLength };
}

/** Reads a P_Key; none means 0xffff. @throws VerbenaError `VERBENA_SIM_ADDRESS_SYNTAX` */
export function parsePkey(text: string | undefined, place: string): PKey {
  if (text === undefined) return PKey.DEFAULT;
  const pkey = PKey.tryParse(text);
  if (pkey === undefined || !PKey.isValid(pkey)) throw syntax(place, `"${text}" is no P_Key`);
  return pkey;
}

function syntax(place: string, problem: string): Error {
  return simError("VERBENA_SIM_ADDRESS_SYNTAX", { details: { place, problem } });
}

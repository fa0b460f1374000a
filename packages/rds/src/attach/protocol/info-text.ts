import type { TransportInfoLists } from "@verbena/core/sdk";
import { malformed } from "./malformed.js";

/** 64-bit numbers, which JSON has not: a text with this in front. */
const BIG = "\u0000n";

/** A list as text; or why there is none. */
export function infoText(list: TransportInfoLists[keyof TransportInfoLists] | Error): Buffer {
  const value = list instanceof Error ? { error: list.message } : { list };
  const text = JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? `${BIG}${part}` : part));
  return Buffer.from(text, "utf8");
}

/** Reads it. Throws `VERBENA_RDS_ATTACH_MALFORMED`. */
export function readInfoText(bytes: Buffer): { readonly list: unknown } | { readonly error: string } {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"), (_key, part: unknown) =>
      typeof part === "string" && part.startsWith(BIG) ? BigInt(part.slice(BIG.length)) : part,
    );
  } catch (cause) {
    throw malformed("a list", String(cause));
  }
  if (typeof value === "object" && value !== null) {
    if ("list" in value && Array.isArray(value.list)) return { list: value.list };
    if ("error" in value && typeof value.error === "string") return { error: value.error };
  }
  throw malformed("a list", "something else");
}

import type { PKey } from "@verbena/ib";
import type { LineCursor } from "./line-cursor.js";
import { ALL_SPEEDS, ALL_WIDTHS, speedsNamed, widthsNamed } from "./link-speed.js";

/** `name=value` lines between nodes. `next` ones describe the node that follows, `default` ones all that follow. */
export interface Attributes {
  switchGuid: GuidBase | undefined;
  caGuid: GuidBase | undefined;
  routerGuid: GuidBase | undefined;
  portGuid: bigint | undefined;
  systemImageGuid: bigint | undefined;
  vendorId: number | undefined;
  deviceId: number | undefined;
  pkeys: readonly PKey[] | undefined;
  widths: number | undefined;
  speeds: number | undefined;
  mtuBytes: number | undefined;
}

/** Where GUIDs of a kind of node go on: at a value, or that far behind the last absolute one. */
export interface GuidBase {
  readonly value: bigint;
  readonly relative: boolean;
}

export const NO_ATTRIBUTES: Attributes = {
  switchGuid: undefined,
  caGuid: undefined,
  routerGuid: undefined,
  portGuid: undefined,
  systemImageGuid: undefined,
  vendorId: undefined,
  deviceId: undefined,
  pkeys: undefined,
  widths: undefined,
  speeds: undefined,
  mtuBytes: undefined,
};

/** Words that may stand before `=`. The last two are ours: ibsim ignores lines it does not know. */
export const ATTRIBUTE_WORDS = [
  "switchguid",
  "hcaguids",
  "caguid",
  "rtguid",
  "portguid",
  "sysimgguid",
  "vendid",
  "devid",
  "width",
  "speed",
  "mtu",
  "pkeys",
] as const;

/** Reads one attribute line into `attributes`. The cursor stands on one of `ATTRIBUTE_WORDS`. */
export function parseAttributeLine(cursor: LineCursor, attributes: Attributes): void {
  const word = cursor.need(/[a-z]+/y, "an attribute", `known: ${ATTRIBUTE_WORDS.join(", ")}`)[0];
  const sign = cursor.need(/\s*([=+])\s*/y, "= or +", `write it as ${word}=VALUE`)[1];
  const at = cursor.offset;
  const bad = (hint: string) =>
    cursor.error("VERBENA_SIM_TOPOLOGY_VALUE", `"${cursor.text.slice(at)}" is no value for ${word}`, hint, at);
  const number = (): bigint => {
    const match = cursor.take(/0x[0-9a-f]+|\d+/iy);
    if (match === undefined) throw bad("give a number, such as 0x2c90300000001");
    const value = BigInt(match[0]);
    if (value >= 1n << 64n) throw bad("a GUID has 64 bits");
    return value;
  };
  const guidBase = (): GuidBase => {
    const value = number();
    const inner = cursor.take(/\(([0-9a-f]+)\)/iy)?.[1];
    if (inner !== undefined) attributes.portGuid = BigInt(`0x${inner}`);
    return { value, relative: sign === "+" };
  };
  const small = (): number => Number(number());

  switch (word) {
    case "switchguid":
      attributes.switchGuid = guidBase();
      break;
    case "hcaguids":
    case "caguid":
      attributes.caGuid = guidBase();
      break;
    case "rtguid":
      attributes.routerGuid = guidBase();
      break;
    case "portguid":
      attributes.portGuid = number();
      break;
    case "sysimgguid":
      attributes.systemImageGuid = number();
      break;
    case "vendid":
      attributes.vendorId = small();
      break;
    case "devid":
      attributes.deviceId = small();
      break;
    case "mtu":
      attributes.mtuBytes = small();
      break;
    case "width":
      attributes.widths =
        maskValue(cursor, widthsNamed, ALL_WIDTHS) ?? fail(bad("1x, 2x, 4x, 8x, 12x or a mask of codes"));
      break;
    case "speed":
      attributes.speeds = maskValue(cursor, speedsNamed, ALL_SPEEDS) ?? fail(bad("SDR … XDR or a mask of codes"));
      break;
    case "pkeys":
      attributes.pkeys = pkeyList(cursor) ?? fail(bad("give P_Keys as pkeys=0xffff,0x8001"));
      break;
    default:
      throw cursor.error(
        "VERBENA_SIM_TOPOLOGY_SYNTAX",
        `unknown attribute "${word}"`,
        `known: ${ATTRIBUTE_WORDS.join(", ")}`,
        at,
      );
  }
}

function fail(error: Error): never {
  throw error;
}

function maskValue(cursor: LineCursor, named: (text: string) => number | undefined, all: number): number | undefined {
  const text = cursor.take(/\w+/y)?.[0] ?? "";
  const value = named(text) ?? Number(text === "" ? Number.NaN : text);
  return value >= 1 && value <= all ? value : undefined;
}

function pkeyList(cursor: LineCursor): PKey[] | undefined {
  const text = cursor.take(/[^#\s]+/y)?.[0] ?? "";
  const parts = text.split(",");
  if (!parts.every((part) => /^(0x)?[0-9a-f]{1,4}$/i.test(part))) return undefined;
  return parts.map((part) => Number.parseInt(part.replace(/^0x/i, ""), 16) as PKey);
}

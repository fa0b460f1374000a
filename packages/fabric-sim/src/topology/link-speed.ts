import { LinkSpeed, LinkWidth } from "@verbena/ib";

/** Width codes from the narrowest to the widest; the codes themselves are not in that order. */
const WIDTHS = [1, 2, 4, 8, 12].map((lanes) => LinkWidth.fromLanes(lanes) ?? 0);

/** Speed codes from the slowest to the fastest. */
const SPEEDS: readonly number[] = [
  LinkSpeed.SDR,
  LinkSpeed.DDR,
  LinkSpeed.QDR,
  LinkSpeed.FDR10,
  LinkSpeed.FDR,
  LinkSpeed.EDR,
  LinkSpeed.HDR,
  LinkSpeed.NDR,
  LinkSpeed.XDR,
];

/** Width and speed of a running link, as codes of `LinkWidth` and `LinkSpeed`. */
export interface LinkRate {
  readonly width: number;
  readonly speed: number;
}

/** What a port can do: masks of width and speed codes. */
export interface LinkMasks {
  readonly widths: number;
  readonly speeds: number;
}

/** Every width code, or-ed. */
export const ALL_WIDTHS = WIDTHS.reduce((mask, code) => mask | code, 0);

/** Every speed code, or-ed. */
export const ALL_SPEEDS = SPEEDS.reduce((mask, code) => mask | code, 0);

/** Names of the speeds, slowest first. */
export const SPEED_NAMES: readonly string[] = SPEEDS.map((code) => LinkSpeed.format(code));

/** The mask of `4x` and all narrower widths, or `undefined`. */
export function widthsNamed(text: string): number | undefined {
  const lanes = /^(\d+)x$/i.exec(text)?.[1];
  const code = lanes === undefined ? undefined : LinkWidth.fromLanes(Number(lanes));
  return code === undefined ? undefined : upTo(WIDTHS, code);
}

/** The mask of `EDR` and all slower speeds, or `undefined`. */
export function speedsNamed(text: string): number | undefined {
  const code = LinkSpeed.fromName(text);
  return code === undefined ? undefined : upTo(SPEEDS, code);
}

/** A port that runs at that width and speed has these and all lower ones enabled. */
export function masksUpTo({ width, speed }: LinkRate): LinkMasks {
  return { widths: upTo(WIDTHS, width), speeds: upTo(SPEEDS, speed) };
}

function upTo(codes: readonly number[], highest: number): number {
  return codes.slice(0, codes.indexOf(highest) + 1).reduce((mask, code) => mask | code, 0);
}

/** What two ports agree on: the widest common width at the fastest common speed, or `undefined`. */
export function negotiate(a: LinkMasks, b: LinkMasks): LinkRate | undefined {
  const width = WIDTHS.findLast((code) => (a.widths & b.widths & code) !== 0);
  const speed = SPEEDS.findLast((code) => (a.speeds & b.speeds & code) !== 0);
  return width === undefined || speed === undefined ? undefined : { width, speed };
}

/** `4xEDR`, as ibnetdiscover prints it. */
export function formatLinkRate({ width, speed }: LinkRate): string {
  return `${LinkWidth.format(width)}${LinkSpeed.format(speed)}`;
}

/** The codes of `4xEDR`, or `undefined`. */
export function parseLinkRate(text: string): LinkRate | undefined {
  const [, widthText, speedText] = /^(\d+x)([A-Z]+\d*)$/i.exec(text) ?? [];
  if (widthText === undefined || speedText === undefined) return undefined;
  const width = LinkWidth.fromLanes(Number.parseInt(widthText, 10));
  const speed = LinkSpeed.fromName(speedText);
  return width === undefined || speed === undefined ? undefined : { width, speed };
}

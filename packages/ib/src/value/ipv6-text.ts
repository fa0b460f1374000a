/*
 * Text form of 128-bit addresses, exactly as glibc's inet_ntop prints them (ib_acme prints GIDs with it): lower case, no leading
 * zeros, the first longest run of two or more zero words is `::`, and the last 32 bits are dotted where exactly the first six
 * words are zero, or five zeros and ffff.
 */

/** Formats eight 16-bit words. */
export function formatWords(words: readonly number[]): string {
  const run = longestZeroRun(words);
  let text = "";
  for (let i = 0; i < 8; i++) {
    if (run.length > 1 && i >= run.start && i < run.start + run.length) {
      if (i === run.start) text += ":";
      continue;
    }
    if (i > 0) text += ":";
    if (i === 6 && run.start === 0 && (run.length === 6 || (run.length === 5 && words[5] === 0xffff))) {
      return text + dotted(words[6] ?? 0, words[7] ?? 0);
    }
    text += (words[i] ?? 0).toString(16);
  }
  return run.length > 1 && run.start + run.length === 8 ? `${text}:` : text;
}

function longestZeroRun(words: readonly number[]): { start: number; length: number } {
  const best = { start: -1, length: 0 };
  let start = -1;
  for (let i = 0; i < 8; i++) {
    if (words[i] !== 0) start = -1;
    else {
      if (start < 0) start = i;
      if (i - start + 1 > best.length) {
        best.start = start;
        best.length = i - start + 1;
      }
    }
  }
  return best;
}

function dotted(high: number, low: number): string {
  return `${high >>> 8}.${high & 0xff}.${low >>> 8}.${low & 0xff}`;
}

/** Parses IPv6 text (RFC 4291 section 2.2, no zone, no prefix length) into eight words; `undefined` if it is none. */
export function parseWords(text: string): number[] | undefined {
  const gap = text.indexOf("::");
  if (gap < 0) {
    const words = parseGroups(text, true);
    return words?.length === 8 ? words : undefined;
  }
  const head = gap === 0 ? [] : parseGroups(text.slice(0, gap), false);
  const rest = text.slice(gap + 2);
  const tail = rest === "" ? [] : parseGroups(rest, true);
  if (head === undefined || tail === undefined || head.length + tail.length > 7) return undefined;
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function parseGroups(text: string, mayEndDotted: boolean): number[] | undefined {
  const words: number[] = [];
  const groups = text.split(":");
  for (const [i, group] of groups.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(group)) words.push(Number.parseInt(group, 16));
    else {
      const pair = mayEndDotted && i === groups.length - 1 ? parseDotted(group) : undefined;
      if (pair === undefined) return undefined;
      words.push(...pair);
    }
  }
  return words;
}

function parseDotted(text: string): readonly [number, number] | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = match.slice(1).map((part) => (/^0\d/.test(part) ? 256 : Number(part)));
  return a > 255 || b > 255 || c > 255 || d > 255 ? undefined : [(a << 8) | b, (c << 8) | d];
}

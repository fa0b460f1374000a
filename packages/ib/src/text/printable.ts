/**
 * What a terminal would act on instead of showing it: control characters (C0, DEL, C1), marks that turn the direction of writing
 * (U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), line and paragraph separators, halves of surrogate pairs.
 */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Cs}]/gu;
const UNSAFE_BUT_LAYOUT = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Cs}]/gu;

/**
 * A stranger's text (from a file, a packet, another program) as one line for a terminal or a log: what would move the cursor, start an
 * escape sequence or turn the writing becomes `\u001b`. All else stays, also letters of any script.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/**
 * The same for text of several lines: line feeds and tabs stay. JSON and double-quoted YAML mean the same before and after, since the
 * escapes are theirs.
 */
export function printableLines(text: string): string {
  return text.replace(UNSAFE_BUT_LAYOUT, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

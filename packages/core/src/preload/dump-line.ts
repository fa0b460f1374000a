import { Lid } from "@verbena/ib";

/** One destination of a block of OpenSM's full path dump. Codes as in a PathRecord. */
export interface DumpPath {
  readonly dlid: Lid;
  readonly sl: number;
  readonly mtu: number;
  readonly rate: number;
}

const NEWLINE = 0x0a;
const [HASH, COLON, COMMA] = [0x23, 0x3a, 0x2c];
const [DIGIT_0, LETTER_A, LETTER_X] = [0x30, 0x61, 0x78];
const LOWER_CASE = 0x20;
/** First letters of header lines: Channel Adapter, Router, Switch, UNKNOWN. Data lines begin with a digit. */
const [LETTER_C, LETTER_R, LETTER_S, LETTER_U] = [0x43, 0x52, 0x53, 0x55];
const [CHANNEL, SWITCH, ROUTER] = [Buffer.from("channel"), Buffer.from("switch"), Buffer.from("router")];
const [BASE_LID, UNREACHABLE] = [Buffer.from("base lid"), Buffer.from("unreachable")];
const GUID_DIGITS = 16;
/** No number of a line is as large; what follows changes nothing. */
const TOO_LARGE = 0x1_0000;

/**
 * Finds header lines among whole lines by their first letters, without looking at what is between: a line of a block has none of these
 * letters unless it says that a port is unreachable.
 */
export class HeaderFinder {
  #at = 0;
  #channel = 0;
  #router = 0;
  #switch = 0;
  #unknown = 0;
  /** First byte of the header found, and what is behind its last one. */
  start = 0;
  stop = 0;

  constructor(
    private readonly buffer: Buffer,
    start: number,
    private readonly end: number,
  ) {
    this.#at = this.#channel = this.#router = this.#switch = this.#unknown = start;
  }

  /** Whether there is another one. */
  next(): boolean {
    for (;;) {
      // Each letter is looked for again only where the line passed has had it.
      if (this.#channel <= this.#at) this.#channel = this.#find(LETTER_C);
      if (this.#switch <= this.#at) this.#switch = this.#find(LETTER_S);
      if (this.#router <= this.#at) this.#router = this.#find(LETTER_R);
      if (this.#unknown <= this.#at) this.#unknown = this.#find(LETTER_U);
      const at = Math.min(this.#channel, this.#switch, this.#router, this.#unknown);
      if (at >= this.end) return false;
      this.#at = at;
      this.start = this.buffer.lastIndexOf(NEWLINE, at) + 1;
      this.#at = this.stop = Math.min(this.#find(NEWLINE), this.end);
      if (skipBlanks(this.buffer, this.start, at) === at) return true;
    }
  }

  #find(byte: number): number {
    const at = this.buffer.indexOf(byte, this.#at);
    return at < 0 ? this.end : at;
  }
}

/** Reads lines as they are, without making text of them: one member after the other of what a line says. */
export class DumpLineReader {
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;
  /** Of a header: the port GUID, high and low 32 bits. */
  guidHigh = 0;
  guidLow = 0;
  /** Of a header: the base LID; of another line, that of the destination. */
  lid = 0;
  sl = 0;
  mtu = 0;
  rate = 0;

  /** Whether the line, line end not included, is a header with port GUID and unicast base LID. */
  readHeader(buffer: Buffer, start: number, end: number): boolean {
    this.#enter(buffer, start, end);
    const isAdapter = this.#is(CHANNEL);
    if (!isAdapter && !this.#is(SWITCH) && !this.#is(ROUTER)) return false;
    // A channel adapter is called so in two words.
    if (!this.#word() || (isAdapter && !this.#word()) || !this.#guid()) return false;
    this.#blanks();
    if (buffer[this.#at] !== COMMA) return false;
    this.#at += 1;
    this.#blanks();
    if (!this.#is(BASE_LID)) return false;
    this.#at += BASE_LID.length + 1;
    this.#blanks();
    this.lid = this.#lid();
    this.#blanks();
    return Lid.isUnicast(this.lid as Lid) && (this.#at >= this.#end || buffer[this.#at] === COMMA);
  }

  /** What a line behind a header is. */
  read(buffer: Buffer, start: number, end: number): "path" | "header" | "unreachable" | "nothing" | "unreadable" {
    this.#enter(buffer, start, end);
    if (this.#at >= end) return "nothing";
    const first = buffer[this.#at];
    if (first === HASH) return "nothing";
    if (first === LETTER_C || first === LETTER_S || first === LETTER_R || first === LETTER_U) return "header";
    this.lid = this.#lid();
    if (this.lid < 0 || !this.#colon()) return "unreadable";
    this.sl = this.#number(10);
    if (this.sl < 0) return this.#is(UNREACHABLE) ? "unreachable" : "unreadable";
    this.mtu = this.#colon() ? this.#number(10) : -1;
    this.rate = this.mtu >= 0 && this.#colon() ? this.#number(10) : -1;
    const isUsable = this.rate >= 0 && Lid.isUnicast(this.lid as Lid);
    return isUsable && this.sl <= 15 && this.mtu <= 63 && this.rate <= 63 ? "path" : "unreadable";
  }

  #enter(buffer: Buffer, start: number, end: number): void {
    this.#buffer = buffer;
    this.#at = start;
    this.#end = end;
    this.#blanks();
  }

  #blanks(): void {
    this.#at = skipBlanks(this.#buffer, this.#at, this.#end);
  }

  /** Passes a word and the blanks behind it; false: there are none. */
  #word(): boolean {
    const start = this.#at;
    let at = start;
    while (at < this.#end && !isBlank(this.#buffer[at] ?? 0)) at += 1;
    this.#at = skipBlanks(this.#buffer, at, this.#end);
    return at > start && this.#at > at;
  }

  #guid(): boolean {
    if (this.#isHex()) this.#at += 2;
    this.guidHigh = 0;
    this.guidLow = 0;
    const start = this.#at;
    for (; this.#at < this.#end; this.#at += 1) {
      const digit = digitOf(this.#buffer[this.#at] ?? 0);
      if (digit > 15) break;
      if (this.#at - start === GUID_DIGITS) return false;
      this.guidHigh = ((this.guidHigh << 4) | (this.guidLow >>> 28)) >>> 0;
      this.guidLow = ((this.guidLow << 4) | digit) >>> 0;
    }
    return this.#at > start;
  }

  /** Hexadecimal with 0x, or decimal; -1: there is none. */
  #lid(): number {
    if (!this.#isHex()) return this.#number(10);
    this.#at += 2;
    return this.#number(16);
  }

  #isHex(): boolean {
    return (
      this.#at + 1 < this.#end &&
      this.#buffer[this.#at] === DIGIT_0 &&
      ((this.#buffer[this.#at + 1] ?? 0) | LOWER_CASE) === LETTER_X
    );
  }

  #number(base: number): number {
    let value = -1;
    for (; this.#at < this.#end; this.#at += 1) {
      const digit = digitOf(this.#buffer[this.#at] ?? 0);
      if (digit >= base) break;
      value = value < 0 ? digit : Math.min(value * base + digit, TOO_LARGE);
    }
    return value;
  }

  /** Passes blanks, a colon and blanks. */
  #colon(): boolean {
    this.#blanks();
    if (this.#at >= this.#end || this.#buffer[this.#at] !== COLON) return false;
    this.#at += 1;
    this.#blanks();
    return true;
  }

  /** Whether this word, in lower case, comes next in any case. */
  #is(word: Buffer): boolean {
    if (this.#at + word.length > this.#end) return false;
    for (let n = 0; n < word.length; n += 1) {
      if (((this.#buffer[this.#at + n] ?? 0) | LOWER_CASE) !== word[n]) return false;
    }
    return true;
  }
}

/** Value of a hexadecimal digit; 16: it is none. */
function digitOf(byte: number): number {
  if (byte >= DIGIT_0 && byte < DIGIT_0 + 10) return byte - DIGIT_0;
  const letter = (byte | LOWER_CASE) - LETTER_A;
  return letter >= 0 && letter < 6 ? letter + 10 : 16;
}

/** A space, or a control character such as a tab or carriage return. */
function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

function skipBlanks(buffer: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && isBlank(buffer[at] ?? 0)) at += 1;
  return at;
}

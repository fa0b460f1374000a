import { describeMad, describePacket, type SendRequest, SimControlClient } from "@verbena/fabric-sim";
import { parseDurationMs } from "../../duration.js";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { wholeNumber } from "../../numbers.js";
import { buildMad, type MadWords, parseHex } from "./build-mad.js";
import { needDir } from "./need-dir.js";
import { madText } from "./trace-lines.js";

/** Options of `sim ctl send` as they were typed. */
export interface SendOptions extends MadWords {
  readonly dir?: string;
  readonly from?: string;
  readonly to?: string;
  readonly hex?: string;
  readonly packet?: string;
  readonly pkey?: string;
  readonly sl?: string;
  readonly qp?: string;
  readonly qkey?: string;
  readonly wait?: string;
  readonly json?: boolean;
}

/** Sends one packet, and prints the answer if it was told to wait. No answer is a failure. */
export async function sendPacket(options: SendOptions, io: Io): Promise<ExitCode> {
  const dir = needDir(options);
  const request = requestOf(options);
  await using control = await SimControlClient.connect(dir);
  const result = await control.request({ op: "send" as const, ...request });
  const sent = Buffer.from(result.bytes, "hex");
  const answer = result.answer === undefined ? undefined : Buffer.from(result.answer, "hex");
  if (options.json === true) {
    const described = answer === undefined ? {} : { mad: describeMad(answer) };
    io.out(`${JSON.stringify({ ...result, packet: describePacket(sent), ...described })}\n`);
  } else {
    io.out(`sent ${String(sent.length)} bytes from ${request.from}\n`);
    if (answer !== undefined) io.out(`${madText(describeMad(answer))}\n${hexDump(answer)}`);
    else if (options.wait !== undefined) io.err(`no answer within ${options.wait}\n`);
  }
  return options.wait !== undefined && answer === undefined ? EXIT.FAILED : EXIT.OK;
}

function requestOf(options: SendOptions): SendRequest {
  const { from, to, pkey, sl, qp, qkey, wait } = options;
  if (from === undefined) throw usage("send needs --from NODE or NODE[PORT]");
  return {
    from,
    ...(to === undefined ? {} : { to }),
    ...contentOf(options),
    ...(pkey === undefined ? {} : { pkey }),
    ...(sl === undefined ? {} : { sl: wholeNumber("--sl", sl, { from: 0, to: 15 }) }),
    ...(qp === undefined ? {} : { qpn: anyBase("--qp", qp, 0xff_ffff) }),
    ...(qkey === undefined ? {} : { qkey: anyBase("--qkey", qkey, 0xffff_ffff) }),
    ...(wait === undefined ? {} : { waitMs: parseDurationMs(wait) }),
  };
}

/** A whole packet, a whole MAD, or one made of fields. */
function contentOf({ packet, hex, ...words }: SendOptions): Pick<SendRequest, "mad" | "packet"> {
  if (packet !== undefined) return { packet: parseHex("--packet", packet).toString("hex") };
  return { mad: (hex === undefined ? buildMad(words) : parseHex("--hex", hex)).toString("hex") };
}

function anyBase(option: string, text: string, max: number): number {
  const value = /^(?:0x[0-9a-f]+|\d+)$/i.test(text) ? Number(text) : Number.NaN;
  if (value <= max) return value;
  throw usage(`${option} takes a number from 0 to 0x${max.toString(16)}, not "${text}"`);
}

/** Rows of 16 bytes behind their offset; rows of zeros at the end are left out. */
function hexDump(bytes: Buffer): string {
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
  let text = "";
  for (let at = 0; at < end; at += 16) {
    const row = bytes
      .subarray(at, at + 16)
      .toString("hex")
      .replace(/(.{4})(?=.)/g, "$1 ");
    text += `  ${at.toString(16).padStart(3, "0")}  ${row}\n`;
  }
  return text;
}

function usage(what: string): Error {
  return cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what } });
}

import { VerbenaError } from "@verbena/ib";
import { RdsStack } from "../../src/index.js";
import { FrameParser } from "../../src/wire/frame-parser.js";
import { virtualHost } from "../conformance/user-space-rig.js";
import { recordedBytes, recordedMessages } from "../vectors.js";
import { ScriptedTransport } from "./scripted-transport.js";

/** Longest message the parser takes here. */
const MAX_LENGTH = 20_000;
/** Turns after which the sockets are emptied, and memory is looked at. */
const ROUND = 1000;

/** What a run has found. */
export interface FuzzFindings {
  /** What was thrown that is no error of the parser's own. */
  readonly problems: readonly string[];
  /** Streams that were refused, and frames that got through. */
  readonly refused: number;
  readonly frames: number;
  /** Memory of buffers at the end beyond that at the tenth part of the run, bytes. */
  readonly growth: number;
}

/**
 * Gives mutated recordings of real streams to the parser, in pieces of any size, and what it makes of them to an engine with a bound socket: turned
 * bits, lost and doubled pieces, lengths of all sizes.
 */
export async function fuzzFrames(inputs: number, random: () => number): Promise<FuzzFindings> {
  const transport = new ScriptedTransport("10.0.0.1");
  const stack = new RdsStack({ host: virtualHost(), transports: [transport] });
  const socket = stack.createSocket();
  await socket.bind("10.0.0.1", 4002);
  const source = transport.contact("10.0.0.2");
  source.connectionUp();
  const recordings = recordedMessages.map(({ file }) => recordedBytes(file));
  const problems: string[] = [];
  let [refused, frames, early] = [0, 0, 0];
  for (let turn = 0; turn < inputs; turn += 1) {
    const parser = new FrameParser(MAX_LENGTH, (header, at, payload) => {
      frames += 1;
      source.received(header, at, payload);
    });
    try {
      const stream = mutated(recordings, random);
      for (let at = 0; at < stream.length; ) {
        const end = Math.min(stream.length, at + 1 + Math.floor(random() * stream.length));
        parser.push(stream.subarray(at, end));
        at = end;
      }
    } catch (error) {
      if (VerbenaError.is(error, "VERBENA_RDS_MALFORMED")) refused += 1;
      else problems.push(`input ${turn}: ${String(error)}`);
    }
    if (turn % ROUND !== 0) continue;
    while (socket.tryReceive() !== undefined);
    for (let frame = source.next(); frame !== undefined; frame = source.next()) source.acked(frame.end);
    if (turn <= inputs / 10) early = process.memoryUsage().arrayBuffers;
  }
  const growth = process.memoryUsage().arrayBuffers - early;
  await stack.close();
  return { problems, refused, frames, growth };
}

/** Some recordings one behind the other, with a few faults. */
function mutated(recordings: readonly Buffer[], random: () => number): Buffer {
  const below = (count: number): number => Math.floor(random() * count);
  const picked = Array.from({ length: 1 + below(3) }, () => recordings[below(recordings.length)] ?? Buffer.alloc(0));
  // Mostly the small ones, so that faults fall into headers.
  const stream = Buffer.concat(picked.map((bytes) => (random() < 0.9 ? bytes.subarray(0, 200) : bytes)));
  for (let faults = below(4); faults > 0; faults -= 1) {
    const at = below(stream.length);
    switch (below(4)) {
      case 0:
        stream.writeUInt8(stream.readUInt8(at) ^ (1 << below(8)), at);
        break;
      case 1:
        stream.writeUInt8(below(256), at);
        break;
      case 2:
        stream.copyWithin(at, below(stream.length));
        break;
      default:
        if (stream.length >= 20) stream.writeUInt32BE(below(2 ** (1 + below(32))), 16);
    }
  }
  return stream;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One recorded message and what was read in its header. */
export interface RecordedMessage {
  readonly file: string;
  readonly what: string;
  readonly transport: "tcp" | "rdma";
  readonly bytes: number;
  readonly sequence: number;
  readonly ack: number;
  readonly len: number;
  readonly sport: number;
  readonly dport: number;
  readonly flags: number;
  readonly credit: number;
  readonly csum: string;
  readonly ext: string;
}

const FOLDER = join(__dirname, "vectors");

/** The messages recorded between two Linux kernels. */
export const recordedMessages = JSON.parse(
  readFileSync(join(FOLDER, "messages.json"), "utf8"),
) as readonly RecordedMessage[];

/** The bytes of a recorded file; lines with # are notes. */
export function recordedBytes(file: string): Buffer {
  const lines = readFileSync(join(FOLDER, file), "utf8").split("\n");
  return Buffer.from(lines.filter((line) => !line.startsWith("#")).join(""), "hex");
}

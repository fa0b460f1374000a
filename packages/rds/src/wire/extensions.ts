import { EXTENSIONS_SIZE } from "./header-layout.js";

/** Types of the header's extensions. */
export const ExtensionType = {
  version: 1,
  rdma: 2,
  rdmaDestination: 3,
  rdmaBytes: 4,
  /** How many connections the sender can keep per pair of addresses. */
  npaths: 5,
  /** Unlike that of the sender's last life. */
  generation: 6,
  capabilities: 7,
  sourcePortIndex: 8,
  payloadChecksum: 9,
} as const;

/** Bytes behind the type. A type that is not here ends the area: its length is not known. */
const BODY_SIZES: Readonly<Record<number, number>> = {
  [ExtensionType.version]: 4,
  [ExtensionType.rdma]: 4,
  [ExtensionType.rdmaDestination]: 8,
  [ExtensionType.rdmaBytes]: 8,
  [ExtensionType.npaths]: 2,
  [ExtensionType.generation]: 4,
  [ExtensionType.capabilities]: 4,
  [ExtensionType.sourcePortIndex]: 1,
  [ExtensionType.payloadChecksum]: 8,
};

/** One extension: its type and its body as it stands. */
export interface HeaderExtension {
  readonly type: number;
  readonly body: Buffer;
}

/** The extensions of a header, given its extension area of 16 bytes. What cannot be read ends the list; nothing is ever refused. */
export function decodeExtensions(area: Buffer): readonly HeaderExtension[] {
  const found: HeaderExtension[] = [];
  for (let at = 0; at < Math.min(area.length, EXTENSIONS_SIZE); ) {
    const type = area.readUInt8(at);
    const size = BODY_SIZES[type];
    const end = at + 1 + (size ?? 0);
    if (size === undefined || end > EXTENSIONS_SIZE) break;
    found.push({ type, body: area.subarray(at + 1, end) });
    at = end;
  }
  return found;
}

/** The extension of probes: one connection is all we keep. */
export const SINGLE_PATH = Buffer.from([ExtensionType.npaths, 0, 1]);

/** What a probe's extensions say; `undefined` for what they do not. */
export interface ProbeFacts {
  readonly npaths: number | undefined;
  readonly generation: number | undefined;
}

/** Reads what a probe says. */
export function readProbe(area: Buffer): ProbeFacts {
  const extensions = decodeExtensions(area);
  const body = (type: number): Buffer | undefined => extensions.find((extension) => extension.type === type)?.body;
  return {
    npaths: body(ExtensionType.npaths)?.readUInt16BE(),
    generation: body(ExtensionType.generation)?.readUInt32BE(),
  };
}

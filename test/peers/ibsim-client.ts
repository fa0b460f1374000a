/**
 * A program on a node of ibsim, run under its preload library (`SIM_HOST` names the node): asks the subnet administrator through
 * `@verbena/native` for its own NodeRecord and for the path to each LID of its arguments, and prints what it got as one line of JSON.
 */
import {
  decodeNodeRecord,
  decodePathRecord,
  decodeSaMad,
  emptyPathRecord,
  encodePathRecord,
  encodeSaMad,
  Lid,
  MadMethod,
  NODE_RECORD_COMPONENTS,
  pathRecordMask,
  SaAttribute,
} from "@verbena/ib";
import { openNative } from "@verbena/native";

/** The line of JSON; 64-bit numbers are text. */
export interface IbsimReport {
  readonly info: {
    readonly device: string;
    readonly port: number;
    readonly state: string;
    readonly lid: number;
    readonly smLid: number;
  };
  readonly devices: readonly unknown[];
  readonly node: { readonly lid: number; readonly nodeDescription: string };
  readonly paths: readonly { readonly madStatus: number; readonly slid: number; readonly dlid: number }[];
}

async function main(destinations: readonly Lid[]): Promise<void> {
  await using native = openNative();
  const [info] = native.umad.listPorts();
  if (info === undefined) throw new Error("no port");
  await using port = native.umad.openPort(info.device, info.port);
  const agent = port.registerAgent({ mgmtClass: 3, classVersion: 1, rmppVersion: 1 });
  const answers = agent.messages();
  let tid = 0n;

  const ask = async (attributeId: number, componentMask: bigint, record: Buffer) => {
    const mad = encodeSaMad({ method: MadMethod.GET, tid: ++tid, attributeId, componentMask, record });
    agent.send(mad, { to: { lid: info.smLid, qpn: 1, sl: info.smSl }, timeoutMs: 2000, retries: 3 });
    const { value } = (await answers.next()) as { value: { status: number; mad: Buffer } };
    if (value.status !== 0) throw new Error(`status ${value.status}`);
    return decodeSaMad(value.mad);
  };

  const own = Buffer.alloc(108);
  own.writeUInt16BE(info.lid, 0);
  const node = decodeNodeRecord((await ask(SaAttribute.NODE_RECORD, NODE_RECORD_COMPONENTS.lid, own)).data);
  const paths = [];
  for (const dlid of destinations) {
    const wanted = { slid: info.lid, dlid };
    const record = encodePathRecord(emptyPathRecord(wanted));
    const answer = await ask(SaAttribute.PATH_RECORD, pathRecordMask(wanted), record);
    paths.push({ madStatus: answer.status, ...decodePathRecord(answer.data) });
  }
  const text = JSON.stringify({ info, devices: native.verbs.devices(), node, paths }, (_key, value: unknown) =>
    typeof value === "bigint" ? `0x${value.toString(16)}` : value,
  );
  process.stdout.write(`${text}\n`);
}

void main(process.argv.slice(2).map((text) => Lid.parse(text)));

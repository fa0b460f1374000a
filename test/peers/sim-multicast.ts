/**
 * A program on a node of our fabric: joins a multicast group at the subnet administrator, prints its LID, then either waits for one
 * message to the group and prints its bytes (`receive`), or announces a text again and again until standard
 * input ends (`send TEXT`): a manager answers a join before it has written the group's tree into the switches.
 */
import { once } from "node:events";
import {
  decodeMcMemberRecord,
  decodeSaMad,
  emptyMcMemberRecord,
  encodeMcMemberRecord,
  encodeSaMad,
  Gid,
  MAD_SIZE,
  MadMethod,
  MC_MEMBER_COMPONENTS,
  MgmtClass,
  PKey,
  SaAttribute,
} from "@verbena/ib";
import { openNative, type UmadMessage, type UmadPort, type UmadPortInfo } from "@verbena/native";

/** The IPv4 broadcast group, which OpenSM makes by itself. */
const MGID = Gid.parse("ff12:401b:ffff::ffff:ffff");
const DATA = 64;
const ANNOUNCE_MS = 50;

/** What the SA answers to a full member. */
async function join(port: UmadPort, info: UmadPortInfo): Promise<ReturnType<typeof decodeMcMemberRecord>> {
  const agent = port.registerAgent({ mgmtClass: MgmtClass.SUBN_ADM, classVersion: 2, rmppVersion: 1 });
  const { mgid, portGid, pkey, joinState } = MC_MEMBER_COMPONENTS;
  const record = emptyMcMemberRecord({
    mgid: MGID,
    portGid: Gid.of(info.gidPrefix, info.portGuid),
    pkey: PKey.DEFAULT,
    scope: 2,
    joinState: 1,
  });
  const mad = encodeSaMad({
    method: MadMethod.SET,
    tid: 1n,
    attributeId: SaAttribute.MC_MEMBER_RECORD,
    componentMask: mgid | portGid | pkey | joinState,
    record: encodeMcMemberRecord(record),
  });
  const answers = agent.messages();
  agent.send(mad, { to: { lid: info.smLid, qpn: 1, sl: info.smSl }, timeoutMs: 2000, retries: 3 });
  const { value } = (await answers.next()) as { value: UmadMessage };
  const answer = decodeSaMad(value.mad);
  if (value.status !== 0 || answer.status !== 0) throw new Error(`status ${value.status}, SA status ${answer.status}`);
  return decodeMcMemberRecord(answer.data);
}

async function main(action: string, text: string): Promise<void> {
  await using native = openNative();
  const [info] = native.umad.listPorts();
  if (info === undefined) throw new Error("no port");
  await using port = native.umad.openPort(info.device, info.port);
  const methods = [MadMethod.SEND];
  const agent = port.registerAgent({ mgmtClass: MgmtClass.ACM, classVersion: 1, methods });
  const messages = agent.messages();
  const { mlid } = await join(port, info);
  process.stdout.write(`joined ${mlid}\n`);
  if (action === "receive") {
    const { value } = (await messages.next()) as { value: UmadMessage };
    process.stdout.write(`${value.mad.subarray(DATA, DATA + 5).toString("utf8")} from ${value.from.lid}\n`);
    return;
  }
  const mad = Buffer.alloc(MAD_SIZE);
  mad.set([1, MgmtClass.ACM, 1, MadMethod.SEND]);
  mad.write(text, DATA, "utf8");
  const announcing = setInterval(() => {
    agent.send(mad, { to: { lid: mlid, qpn: 1 }, timeoutMs: 0, retries: 0 });
  }, ANNOUNCE_MS);
  process.stdin.resume();
  await once(process.stdin, "end");
  clearInterval(announcing);
}

void main(process.argv[2] ?? "", process.argv[3] ?? "");

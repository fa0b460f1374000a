/**
 * A program on a node of a fabric: registers a service and subscribes to all notices through `@verbena/native`, some requests as they
 * must be and some not, and prints each answer as one line of a JSON array: name, method, status, attribute offset, record.
 */
import {
  SERVICE_RECORD_COMPONENTS as C,
  decodeSaMad,
  encodeInformInfo,
  encodeSaMad,
  encodeServiceRecord,
  Gid,
  Lid,
  MadMethod,
  PKey,
  SaAttribute,
} from "@verbena/ib";
import { openNative } from "@verbena/native";

const RECORD_SIZES: Readonly<Record<number, number>> = {
  [SaAttribute.SERVICE_RECORD]: 176,
  [SaAttribute.INFORM_INFO]: 36,
};

async function main(): Promise<void> {
  await using native = openNative();
  const [info] = native.umad.listPorts();
  if (info === undefined) throw new Error("no port");
  await using port = native.umad.openPort(info.device, info.port);
  const agent = port.registerAgent({ mgmtClass: 3, classVersion: 2, rmppVersion: 1 });
  const answers = agent.messages();
  const printed: (string | number)[][] = [];
  let tid = 0n;
  const ask = async (name: string, method: number, attributeId: number, componentMask: bigint, record: Buffer) => {
    const mad = encodeSaMad({ method, tid: ++tid, attributeId, componentMask, record });
    agent.send(mad, { to: { lid: info.smLid, qpn: 1, sl: info.smSl }, timeoutMs: 5000, retries: 3 });
    const { value } = (await answers.next()) as { value: { status: number; mad: Buffer } };
    if (value.status !== 0) throw new Error(`${name}: status ${value.status}`);
    const answer = decodeSaMad(value.mad);
    const data = answer.data.subarray(0, RECORD_SIZES[attributeId]).toString("hex");
    printed.push([name, answer.method, answer.status, answer.attributeOffset, data]);
  };

  const all = C.serviceId | C.serviceGid | C.servicePkey | C.serviceLease | C.serviceKey | C.serviceName;
  const service = (serviceId: bigint, servicePkey: PKey) =>
    encodeServiceRecord({
      serviceId,
      serviceGid: Gid.of(Gid.linkLocalPrefix, info.portGuid),
      servicePkey,
      serviceLease: 3600,
      serviceKey: Buffer.alloc(16, 0x5a),
      serviceName: `service ${serviceId}`,
      // ibsim cuts the last 8 bytes off a table's record.
      serviceData: Buffer.alloc(64, Buffer.alloc(56, 1)).fill(0, 56),
    });
  const subscription = (subscribe: boolean, gid: Gid = Gid.zero) =>
    encodeInformInfo({
      gid,
      lidRangeBegin: Lid.from(0xffff),
      lidRangeEnd: Lid.zero,
      isGeneric: true,
      subscribe,
      type: 0xffff,
      trapNumber: 0xffff,
      qpn: 1,
      respTimeValue: 0,
      producerType: 0xff_ffff,
    });
  const { SERVICE_RECORD, INFORM_INFO } = SaAttribute;
  const { GET, SET, DELETE } = MadMethod;
  const full = PKey.DEFAULT;
  await ask("set", SET, SERVICE_RECORD, all, service(1n, full));
  await ask("set without lease and P_Key", SET, SERVICE_RECORD, C.serviceId | C.serviceGid, service(2n, full));
  await ask("set without GID", SET, SERVICE_RECORD, C.serviceId, service(3n, full));
  await ask("set in a foreign partition", SET, SERVICE_RECORD, all, service(3n, PKey.from(0x8123)));
  await ask("get", GET, SERVICE_RECORD, C.serviceId, service(1n, full));
  await ask("get by name and key", GET, SERVICE_RECORD, C.serviceName | C.serviceKey, service(2n, full));
  await ask("get by lease", GET, SERVICE_RECORD, C.serviceId | C.serviceLease, service(2n, full));
  await ask("get what is not there", GET, SERVICE_RECORD, C.serviceId, service(9n, full));
  await ask("get several", GET, SERVICE_RECORD, 0n, Buffer.alloc(176));
  await ask("delete", DELETE, SERVICE_RECORD, all, service(2n, full));
  await ask("delete again", DELETE, SERVICE_RECORD, all, service(2n, full));
  await ask("subscribe", SET, INFORM_INFO, 0n, subscription(true));
  await ask("subscribe again", SET, INFORM_INFO, 0n, subscription(true));
  await ask("subscribe to nobody", SET, INFORM_INFO, 0n, subscription(true, Gid.parse("fe80::1")));
  await ask("end another subscription", SET, INFORM_INFO, 0n, subscription(false, Gid.parse("fe80::1")));
  await ask("get InformInfo", GET, INFORM_INFO, 0n, subscription(true));
  process.stdout.write(`${JSON.stringify(printed)}\n`);
}

void main();

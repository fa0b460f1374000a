import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  decodeClassPortInfo,
  decodePortInfoRecord,
  decodeSmInfo,
  decodeSwitchInfo,
  encodeSaMad,
  MadMethod,
  MadStatus,
  SaAttribute,
} from "@verbena/ib";
import { Simulation } from "../src/process/simulation.js";
import { parseTopology } from "../src/topology/parse-topology.js";
import { ManualServices } from "./manual-services.js";
import { SaClient } from "./sa-client.js";

interface Case {
  readonly name: string;
  readonly request: {
    readonly method: number;
    readonly attributeId: number;
    readonly componentMask: string;
    readonly attributeModifier?: number;
    readonly smKey?: number;
    readonly classVersion?: number;
    readonly record: string;
  };
  /** `null`: OpenSM did not answer. */
  readonly answer: {
    readonly method: number;
    readonly status: number;
    readonly attributeOffset: number;
    readonly length: number;
    readonly data: string;
  } | null;
}

const folder = join(__dirname, "vectors");
const cases = JSON.parse(readFileSync(join(folder, "opensm-answers.json"), "utf8")) as readonly Case[];
const topology = parseTopology(readFileSync(join(folder, "opensm-answers.net"), "utf8"));

describe("answers recorded from OpenSM 3.3.23", () => {
  // One after another: later cases depend on the groups that earlier ones have made.
  const services = new ManualServices();
  const simulation = new Simulation(topology, services);
  const client = new SaClient(simulation, services, "Hca2");

  it.each(cases.map((one) => [one.name, one] as const))("%s", (_name, { request, answer }) => {
    const mad = client.exchange(
      encodeSaMad({
        method: request.method,
        tid: client.nextTid(),
        attributeId: request.attributeId,
        attributeModifier: request.attributeModifier ?? 0,
        componentMask: BigInt(request.componentMask),
        smKey: BigInt(request.smKey ?? 0),
        record: Buffer.from(request.record, "hex"),
      }),
      request.classVersion,
    );
    const attribute = attributeName(request.attributeId);
    if (answer === null) {
      // OpenSM drops what it does not know, and requests with a key it does not trust; ours refuses the former as IBA 13.4.7 says.
      expect(request.smKey === 5 ? mad : mad?.status).toBe(request.smKey === 5 ? undefined : refusal(request));
      return;
    }
    if (mad === undefined) throw new Error("the SA did not answer");
    expect({ method: mad.method, status: mad.status, attributeOffset: mad.attributeOffset }).toEqual({
      method: answer.method,
      status: answer.status,
      attributeOffset: answer.attributeOffset,
    });
    if (answer.status === 0 && answer.length > 0 && attribute in COMPARED) {
      const theirs = Buffer.concat([Buffer.from(answer.data, "hex"), Buffer.alloc(RECORD_SPACE)]);
      expect(pick(attribute, mad.data)).toEqual(pick(attribute, theirs));
      return;
    }
    // ibsim cuts tables to one MAD: the records that are whole are compared.
    const stride = answer.attributeOffset * 8;
    const whole = answer.length === CUT && stride > 0 ? Math.floor(CUT / stride) * stride : answer.length;
    expect(trimmed(mad.data, answer.length === CUT ? whole : mad.data.length)).toBe(
      trimmed(Buffer.from(answer.data, "hex"), whole),
    );
  });
});

const RECORD_SPACE = 256;
const CUT = 200;

function trimmed(data: Buffer, length: number): string {
  return data
    .subarray(0, length)
    .toString("hex")
    .replace(/(?:00)+$/, "");
}

function refusal({ method, classVersion = 2 }: Case["request"]): number {
  if (classVersion > 2) return MadStatus.BAD_VERSION;
  return method === 0x33 || method === MadMethod.SEND
    ? MadStatus.METHOD_NOT_SUPPORTED
    : MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED;
}

function attributeName(id: number): string {
  return Object.entries(SaAttribute).find(([, value]) => value === id)?.[0] ?? "unknown";
}

/** What is compared of attributes that repeat a device's own properties, in which ibsim's devices differ from ours. */
const COMPARED: Readonly<Record<string, (data: Buffer) => unknown>> = {
  PORT_INFO_RECORD: (data) => {
    const { endportLid, portNum, portInfo } = decodePortInfoRecord(data);
    const { lid, masterSmLid, portState, portPhysicalState, lmc, gidPrefix } = portInfo;
    const link = {
      width: portInfo.linkWidthActive,
      speed: portInfo.linkSpeedActive,
      mtu: portInfo.neighborMtu,
      cap: portInfo.mtuCap,
    };
    return {
      endportLid,
      portNum,
      lid,
      masterSmLid,
      portState,
      portPhysicalState,
      lmc,
      gidPrefix,
      link: portState === 1 || portNum === 0 ? {} : link,
    };
  },
  SWITCH_INFO_RECORD: (data) => ({ lid: data.readUInt16BE(0), top: decodeSwitchInfo(data, 4).linearFdbTop }),
  SM_INFO_RECORD: (data) => ({ lid: data.readUInt16BE(0), info: { ...decodeSmInfo(data, 4), activityCount: 0 } }),
  CLASS_PORT_INFO: (data) => ({ ...decodeClassPortInfo(data), capabilityMask: 0, capabilityMask2: 0 }),
};

function pick(attribute: string, data: Buffer): unknown {
  return COMPARED[attribute]?.(data);
}

import { BthOpcode, encodeIbPacket, GSI_QKEY, Lid, MAD_HEADER_SIZE, MAD_SIZE, MgmtClass, PKey } from "@verbena/ib";
import type { SendRequest, SendResult } from "../control/protocol.js";
import { simError } from "../errors.js";
import type { Fabric } from "../fabric/fabric.js";
import type { FabricPort } from "../fabric/port.js";
import type { FabricHost } from "../host/fabric-host.js";
import { madOf } from "../trace/mad-of.js";

const CLASS_AT = 1;
const METHOD_AT = 3;
const TID_AT = 8;
const RESPONSE_BIT = 0x80;
const MULTICAST_QPN = 0xff_ffff;
/** High half of the transaction ids given here; agents of programs have small numbers. */
const TID_BASE = 0xfab0_0000_0000_0000n;

/** Sends packets that no program has sent, and waits for an answer if asked to. */
export class Injector {
  #lastTid = TID_BASE;
  readonly #waits = new Set<() => void>();

  constructor(
    private readonly fabric: Fabric,
    private readonly host: FabricHost,
  ) {}

  /**
   * Sends from an end port as a program on that node would.
   *
   * @throws VerbenaError `VERBENA_SIM_PORT_UNKNOWN`, `VERBENA_SIM_NODE_UNKNOWN`, `VERBENA_SIM_CONTROL_REQUEST`, `VERBENA_IB_…` for a value that
   * does not fit its field
   */
  async send(request: SendRequest): Promise<SendResult> {
    const port = this.#source(request.from);
    const packet = request.packet === undefined ? this.#wrap(port, request) : hex("packet", request.packet);
    const answer = request.waitMs === undefined ? undefined : this.#answerTo(port, packet, request.waitMs);
    this.host.sendFrom(port, packet);
    const bytes = packet.toString("hex");
    const got = await answer;
    return got === undefined ? { bytes } : { bytes, answer: got.toString("hex") };
  }

  /** Nobody waits any more. */
  close(): void {
    for (const end of this.#waits) end();
  }

  #source(name: string): FabricPort {
    const [port, another] = this.#endPorts(name);
    if (port !== undefined && another === undefined && port.isEndPort) return port;
    throw simError("VERBENA_SIM_PORT_UNKNOWN", {
      details: { name, problem: "packets begin at one port of a host or at port 0 of a switch" },
    });
  }

  /** Port 0 of a switch that is named without a port. */
  #endPorts(name: string): readonly FabricPort[] {
    const ports = this.fabric.portsNamed(name);
    const isSwitch = !name.endsWith("]") && ports[0]?.node.kind === "switch";
    return isSwitch ? (ports[0]?.node.endPorts ?? []) : ports;
  }

  #destination(to: string): Lid {
    if (/^(?:0x[0-9a-f]{1,4}|\d{1,5})$/i.test(to)) return Lid.from(Number(to));
    const lid = this.#endPorts(to)[0]?.lid ?? Lid.zero;
    if (lid !== Lid.zero) return lid;
    throw simError("VERBENA_SIM_PORT_UNKNOWN", { details: { name: to, problem: "the port has no LID" } });
  }

  #wrap(port: FabricPort, request: SendRequest): Buffer {
    const payload = Buffer.concat([hex("mad", request.mad ?? "")], MAD_SIZE);
    const mgmtClass = payload.readUInt8(CLASS_AT);
    const isDirected = mgmtClass === MgmtClass.SUBN_DIRECTED_ROUTE;
    const isSmp = isDirected || mgmtClass === MgmtClass.SUBN_LID_ROUTED;
    if (payload.readBigUInt64BE(TID_AT) === 0n) payload.writeBigUInt64BE(++this.#lastTid, TID_AT);
    if (request.to === undefined && !isDirected) throw bad("send: to must be given");
    const dlid = isDirected ? Lid.PERMISSIVE : this.#destination(request.to ?? "");
    const qpn = isSmp ? 0 : 1;
    return encodeIbPacket({
      lrh: { vl: isSmp ? 15 : 0, sl: request.sl ?? 0, dlid, slid: isDirected ? Lid.PERMISSIVE : port.lid },
      bth: {
        opcode: BthOpcode.UD_SEND_ONLY,
        solicited: false,
        migration: true,
        pkey: request.pkey === undefined ? PKey.DEFAULT : PKey.parse(request.pkey),
        destQpn: request.qpn ?? (Lid.isMulticast(dlid) ? MULTICAST_QPN : qpn),
        ackRequest: false,
        psn: 0,
      },
      deth: { qkey: request.qkey ?? (isSmp ? 0 : GSI_QKEY), srcQpn: qpn },
      payload,
    });
  }

  /** The MAD of the first response with the same class and transaction id that comes to the port in time. */
  #answerTo(port: FabricPort, packet: Buffer, waitMs: number): Promise<Buffer | undefined> {
    const request = madOf(packet);
    if (request === undefined) throw bad("send: only a MAD has an answer to wait for");
    return new Promise((settle) => {
      const end = (answer?: Buffer) => {
        stop();
        cancel();
        this.#waits.delete(end);
        settle(answer);
      };
      const stop = this.fabric.trace.add((record) => {
        if (record.type !== "deliver" || record.port !== port) return;
        const mad = madOf(record.packet);
        if (mad !== undefined && isAnswer(request, mad)) end(Buffer.from(mad));
      });
      const cancel = this.fabric.services.clock.schedule(waitMs, end);
      this.#waits.add(end);
    });
  }
}

function isAnswer(request: Buffer, mad: Buffer): boolean {
  const isResponse = (mad.readUInt8(METHOD_AT) & RESPONSE_BIT) !== 0;
  return (
    isResponse &&
    mad[CLASS_AT] === request[CLASS_AT] &&
    mad.subarray(TID_AT, TID_AT + 8).equals(request.subarray(TID_AT, TID_AT + 8))
  );
}

function hex(member: "mad" | "packet", text: string): Buffer {
  const [from, to] = member === "mad" ? [MAD_HEADER_SIZE, MAD_SIZE] : [1, MAX_PACKET];
  const bytes = Buffer.from(text, "hex");
  if (bytes.length * 2 === text.length && bytes.length >= from && bytes.length <= to) return bytes;
  throw bad(`send: ${member} must be ${String(from)} to ${String(to)} bytes in hexadecimal`);
}

/** Bytes of the longest packet that the LRH can tell. */
const MAX_PACKET = 8188;

function bad(problem: string): Error {
  return simError("VERBENA_SIM_CONTROL_REQUEST", { details: { problem } });
}

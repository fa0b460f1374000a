import { SimControlClient } from "@verbena/fabric-sim";
import {
  BthOpcode,
  decodeAcmMad,
  decodeIbPacket,
  encodeIbPacket,
  Gid,
  type IbPacket,
  type Lid,
  PKey,
} from "@verbena/ib";
import { ACM_QKEY } from "../../src/groups/group-spec.js";
import { MULTICAST_QPN } from "../../src/wire/packet.js";
import type { TestFabric } from "./fabric.js";
import { BASE } from "./parts.js";

/** MLID of the base group: the second that the simulator's SA gives. */
const BASE_MLID = 0xc001 as Lid;

/** A packet of the protocol as a host has sent it. */
export interface SentMessage extends IbPacket {
  readonly from: string;
  readonly mad: ReturnType<typeof decodeAcmMad>;
}

/** Where a datagram is from and goes, if not from the host's port to the base group. */
export interface Forged {
  readonly to?: { readonly lid: number; readonly gid: Gid; readonly qpn: number };
  readonly srcQpn?: number;
  /** GID that it says to be from. */
  readonly sgid?: Gid;
  readonly qkey?: number;
  readonly pkey?: PKey;
}

/** What of the protocol goes over the wire, and a way to put something there. */
export class AcmWire implements AsyncDisposable {
  readonly sent: SentMessage[] = [];
  readonly #abort = new AbortController();
  #done: Promise<void> = Promise.resolve();

  private constructor(private readonly fabric: TestFabric) {}

  static async follow(fabric: TestFabric): Promise<AcmWire> {
    const wire = new AcmWire(fabric);
    const selection = { class: "0x2c", events: ["send"], signal: wire.#abort.signal } as const;
    const trace = SimControlClient.trace(fabric.fabric.dir, selection);
    await trace.next();
    wire.#done = wire.#read(trace);
    return wire;
  }

  /** Responses that a host has sent. */
  responsesOf(node: string): readonly SentMessage[] {
    return this.sent.filter(({ from, mad }) => from.startsWith(`${node}[`) && mad.method === 0x81);
  }

  /** Requests that a host has sent. */
  requestsOf(node: string): readonly SentMessage[] {
    return this.sent.filter(({ from, mad }) => from.startsWith(`${node}[`) && mad.method === 1);
  }

  /** Sends a datagram from a host that runs no program. */
  async say(
    node: string,
    payload: Buffer,
    { to, srcQpn = 0x1234, sgid, qkey = ACM_QKEY, pkey = PKey.DEFAULT }: Forged = {},
  ): Promise<void> {
    const { nodes } = await this.fabric.sim.request({ op: "status" });
    const port = nodes.find(({ id }) => id === node)?.ports[0];
    const packet = encodeIbPacket({
      lrh: { vl: 0, sl: 0, dlid: (to?.lid ?? BASE_MLID) as Lid, slid: (port?.lid ?? 0) as Lid },
      grh: {
        tclass: 0,
        flowLabel: 0,
        hopLimit: 0,
        sgid: sgid ?? Gid.of(Gid.linkLocalPrefix, BigInt(port?.guid ?? 0)),
        dgid: to?.gid ?? BASE,
      },
      bth: {
        opcode: BthOpcode.UD_SEND_ONLY,
        solicited: false,
        migration: false,
        pkey,
        destQpn: to?.qpn ?? MULTICAST_QPN,
        ackRequest: false,
        psn: 0,
      },
      deth: { qkey, srcQpn },
      payload,
    });
    await this.fabric.sim.request({ op: "send", from: node, packet: packet.toString("hex") });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#done;
  }

  async #read(trace: ReturnType<typeof SimControlClient.trace>): Promise<void> {
    for await (const message of trace) {
      if (message.type !== "packet") continue;
      const packet = decodeIbPacket(Buffer.from(message.bytes, "hex"));
      if (packet.payload.length === 256) {
        this.sent.push({ ...packet, from: message.port, mad: decodeAcmMad(packet.payload) });
      }
    }
  }
}

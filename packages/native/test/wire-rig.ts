import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ControlRequest,
  type LinkFault,
  libfabricsimPath,
  type RunningFabric,
  SimControlClient,
  startFabricThread,
  type TracePacketMessage,
  twoLevel,
} from "@verbena/fabric-sim";
import {
  decodeMcMemberRecord,
  decodeSaMad,
  emptyMcMemberRecord,
  encodeMcMemberRecord,
  encodeSaMad,
  Gid,
  Lid,
  MadMethod,
  mcMemberMask,
  PKey,
  SaAttribute,
} from "@verbena/ib";
import { type Native, openNative } from "../src/index.js";
import { Bench } from "./rig.js";

/** The group of the tests, and its Q_Key. */
export const GROUP = Gid.parse("ff12:401b:ffff::77");

/** Hosts that this process is, all at once: H1 and H2 on one leaf, H8 beyond the spine. */
const HOSTS = ["H1", "H2", "H8"] as const;
export type HostName = (typeof HOSTS)[number];

/** Three nodes of one simulated fabric in this process; between them every packet goes through the switches, and through their faults. */
export class WireRig {
  private constructor(
    readonly fabric: RunningFabric,
    readonly control: SimControlClient,
    private readonly native: Native,
    private readonly hosts: Readonly<Record<HostName, Bench>>,
    private readonly dir: string,
  ) {}

  static async start(options: { readonly timeScale?: number } = {}): Promise<WireRig> {
    const dir = mkdtempSync(join(tmpdir(), "verbena-wire-"));
    const fabric = await startFabricThread({ topology: twoLevel({ hosts: 8 }), dir: join(dir, "fabric"), ...options });
    const library = join(dir, "libfabricsim.so");
    copyFileSync(libfabricsimPath(), library);
    const native = openNative({ fabric: { dir: fabric.dir, node: HOSTS.join(","), library } });
    const benches = await Promise.all(HOSTS.map((_, i) => Bench.of(native.verbs.open(`sim${i}`))));
    const [H1, H2, H8] = benches as [Bench, Bench, Bench];
    return new WireRig(fabric, await SimControlClient.connect(fabric.dir), native, { H1, H2, H8 }, dir);
  }

  at(host: HostName): Bench {
    return this.hosts[host];
  }

  lidOf(host: HostName): number {
    return this.at(host).context.queryPort(1).lid;
  }

  async request(request: ControlRequest): Promise<void> {
    await this.control.request(request);
  }

  /** A fault of queue pairs' packets only, so that the subnet administrator stays reachable. */
  async fault(fault: Partial<LinkFault>, end?: string): Promise<void> {
    const where = end === undefined ? {} : { end };
    await this.request({ op: "fault", action: "set", traffic: "data", ...fault, ...where });
  }

  async noFaults(): Promise<void> {
    await this.request({ op: "fault", action: "clear" });
    // Repairs routes that were cut.
    await this.request({ op: "sm", action: "sweep" });
  }

  /** Takes a host's link down, or up again and waits until its port is active. */
  async link(host: HostName, action: "up" | "down"): Promise<void> {
    const { context } = this.at(host);
    await this.request({ op: "link", action, end: host });
    const wanted = (): boolean => (context.queryPort(1).state === "active") === (action === "up");
    while (!wanted()) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Makes a port a member of {@link GROUP}; the LID of the group. */
  async join(host: HostName): Promise<number> {
    const { context } = this.at(host);
    const fields = {
      mgid: GROUP,
      portGid: context.gids(1)[0] ?? Gid.zero,
      qkey: 0x1111_1111,
      tclass: 0,
      pkey: PKey.DEFAULT,
      sl: 0,
      flowLabel: 0,
      joinState: 1,
    };
    const mad = encodeSaMad({
      method: MadMethod.SET,
      // 0: one that nobody else has.
      tid: 0n,
      attributeId: SaAttribute.MC_MEMBER_RECORD,
      componentMask: mcMemberMask(fields),
      record: encodeMcMemberRecord(emptyMcMemberRecord(fields)),
    });
    const { smLid } = context.queryPort(1);
    const { answer } = await this.control.request({
      op: "send",
      from: host,
      to: Lid.format(smLid),
      mad: mad.toString("hex"),
      waitMs: 5000,
    });
    return decodeMcMemberRecord(decodeSaMad(Buffer.from(answer ?? "", "hex")).data).mlid;
  }

  /** Watches packets of queue pairs that a host puts on the wire. */
  async watchSends(host: HostName): Promise<SendWatch> {
    const abort = new AbortController();
    const trace = SimControlClient.trace(this.fabric.dir, { node: host, events: ["send"], signal: abort.signal });
    for (;;) {
      const { value, done } = await trace.next();
      if (done === true) throw new Error("the fabric has ended");
      if (value.type === "synced") break;
    }
    return new SendWatch(trace as AsyncIterator<{ readonly type: string }>, abort);
  }

  async close(): Promise<void> {
    await this.control.close();
    await this.native.close();
    await this.fabric.close();
    rmSync(this.dir, { recursive: true });
  }
}

/** What a host has put on the wire since this was made. */
export class SendWatch implements Disposable {
  /** From the LRH on. */
  readonly packets: Buffer[] = [];

  constructor(
    private readonly trace: AsyncIterator<{ readonly type: string }>,
    private readonly abort: AbortController,
  ) {}

  /** Resolves once the fabric has seen `count` packets in all: what becomes of each has been decided then. */
  async until(count: number): Promise<void> {
    while (this.packets.length < count) {
      const { value, done } = await this.trace.next();
      if (done === true) throw new Error("the trace ended");
      if (value.type !== "packet") continue;
      this.packets.push(Buffer.from((value as TracePacketMessage).bytes, "hex"));
    }
  }

  [Symbol.dispose](): void {
    this.abort.abort();
  }
}

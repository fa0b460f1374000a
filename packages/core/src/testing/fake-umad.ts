import {
  encodeNotice,
  encodeSaMad,
  Gid,
  Guid,
  Lid,
  MadMethod,
  type Notice,
  Rate,
  SaAttribute,
  type SaMad,
  VerbenaError,
} from "@verbena/ib";
import type {
  MadAddress,
  UmadAgent,
  UmadAgentOptions,
  UmadMessage,
  UmadPort,
  UmadPortInfo,
  UmadSendOptions,
  UmadService,
} from "@verbena/native";
import type { Clock } from "../sdk/services.js";
import type { FakeDevice } from "./fake-device.js";
import { encodeFakeAnswer, type FakeSa, type FakeSaAction, readFakeQuery } from "./fake-sa.js";
import { PushQueue } from "./push-queue.js";

const ETIMEDOUT = 110;
const EINVAL = 22;
const HEADER_SIZE = 24;

/** libibumad of the fake host: repeats, time-outs and transaction ids as the kernel treats them, on the virtual clock. */
export class FakeUmad implements UmadService {
  readonly agents = new Set<FakeUmadAgent>();
  /** When set, every send throws a coded error with this errno. */
  sendErrno: number | undefined;
  /** What {@link setDebugLevel} was given last. */
  debugLevel = 0;
  #nextAgent = 1;
  #nextReport = 0x2dab000n;

  constructor(
    private readonly clock: Clock,
    private readonly hardware: ReadonlyMap<string, FakeDevice>,
    readonly sa: FakeSa,
  ) {}

  setDebugLevel(level: number): void {
    this.debugLevel = level;
  }

  listPorts(): readonly UmadPortInfo[] {
    return [...this.hardware.values()].flatMap((device) =>
      [...device.ports.keys()].flatMap((port) => this.queryPort(device.name, port) ?? []),
    );
  }

  queryPort(name: string, number: number): UmadPortInfo | undefined {
    const device = this.hardware.get(name);
    const port = device?.ports.get(number);
    if (device === undefined || port === undefined) return undefined;
    const gid = port.gids[0] ?? Gid.zero;
    return {
      device: name,
      nodeGuid: device.nodeGuid,
      portCount: device.ports.size,
      port: number,
      portGuid: Guid.from(Gid.guid(gid)),
      gidPrefix: Gid.prefix(gid),
      lid: port.lid,
      lmc: port.lmc,
      smLid: port.smLid,
      smSl: port.smSl,
      state: port.state,
      physState: port.state === "active" ? 5 : 2,
      rateGbps: Rate.toGbps(Rate.fromWidthSpeed(port.width, port.speed) ?? Rate.zero) ?? 0,
      capabilityMask: 0,
      pkeys: port.pkeys,
      linkLayer: port.linkLayer === "infiniband" ? "InfiniBand" : "Ethernet",
    };
  }

  /** Throws VERBENA_NATIVE_NO_DEVICE for a port the hardware does not have. */
  openPort(device: string, port: number): UmadPort {
    if (this.queryPort(device, port) === undefined) {
      throw new VerbenaError("VERBENA_NATIVE_NO_DEVICE", `no port ${device}/${port}`, { errno: 19 });
    }
    const agents = new Set<FakeUmadAgent>();
    const close = async (): Promise<void> => {
      for (const agent of agents) await agent.close();
    };
    return {
      device,
      port,
      registerAgent: (options) => {
        this.#refuseTaken(device, port, options);
        const agent = new FakeUmadAgent(this, this.clock, device, port, this.#nextAgent++, options);
        agents.add(agent);
        this.agents.add(agent);
        return agent;
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  /** Reports what the SA reports, to whoever has registered for reports on that port. */
  report(
    device: string,
    port: number,
    notice: Notice,
    overrides: { tid?: bigint; from?: Partial<MadAddress> } = {},
  ): void {
    const smLid = this.hardware.get(device)?.ports.get(port)?.smLid ?? Lid.zero;
    const tid = overrides.tid ?? this.#nextReport++;
    const record = encodeNotice(notice);
    const mad = encodeSaMad({ method: MadMethod.REPORT, tid, attributeId: SaAttribute.NOTICE, record });
    for (const agent of this.agents) {
      if (agent.device !== device || agent.port !== port) continue;
      if (agent.options.methods?.includes(MadMethod.REPORT) !== true) continue;
      agent.deliver(mad, 0, { lid: smLid, qpn: 1, pkeyIndex: 0, ...overrides.from });
    }
  }

  /** As Linux: a method of a class belongs to one agent of a port. */
  #refuseTaken(device: string, port: number, { mgmtClass, methods = [] }: UmadAgentOptions): void {
    for (const agent of this.agents) {
      if (agent.device !== device || agent.port !== port || agent.options.mgmtClass !== mgmtClass) continue;
      if (!methods.some((method) => agent.options.methods?.includes(method))) continue;
      throw new VerbenaError("VERBENA_NATIVE_REGISTER", "the method is taken", { errno: EINVAL });
    }
  }
}

/** A request that the kernel holds until it is answered or its tries are over. */
interface Held {
  readonly bytes: Buffer;
  readonly options: UmadSendOptions;
}

/** One registered agent of the fake. */
export class FakeUmadAgent implements UmadAgent {
  readonly #messages = new PushQueue<UmadMessage>();
  readonly #cancels = new Set<() => void>();
  /** By transaction id: there is one request of each at a time. */
  readonly #held = new Map<bigint, Held>();
  /** Highest value `outstanding` has had. */
  peak = 0;
  closed = false;

  constructor(
    private readonly umad: FakeUmad,
    private readonly clock: Clock,
    readonly device: string,
    readonly port: number,
    readonly agentId: number,
    readonly options: UmadAgentOptions,
  ) {}

  /** Requests sent and not yet answered or returned. */
  get outstanding(): number {
    return this.#held.size;
  }

  /** What was sent without waiting for an answer: answers of this host. */
  readonly answers: Buffer[] = [];

  send(mad: Uint8Array, options: UmadSendOptions): void {
    if (this.closed) throw new VerbenaError("VERBENA_NATIVE_CLOSED", "agent is closed");
    const errno = this.umad.sendErrno;
    if (errno !== undefined)
      throw new VerbenaError("VERBENA_NATIVE_SYSCALL", "send failed", { errno, syscall: "write" });
    const bytes = Buffer.from(mad);
    if (options.timeoutMs === 0) {
      this.answers.push(bytes);
      return;
    }
    bytes.writeUInt32BE(this.agentId, 8);
    const { tid } = readFakeQuery(bytes);
    if (this.#held.has(tid)) {
      const details = { errno: EINVAL, syscall: "write" };
      throw new VerbenaError("VERBENA_NATIVE_SEND", "the transaction id is in use", details);
    }
    const held = { bytes, options };
    this.#held.set(tid, held);
    this.peak = Math.max(this.peak, this.outstanding);
    this.#attempt(held, 0);
  }

  /** Delivers bytes the SA never sent: late, duplicate, from elsewhere. */
  deliver(mad: Buffer, status = 0, from: MadAddress = { lid: Lid.from(1), qpn: 1 }): void {
    this.#messages.push({ status, mad, from });
  }

  messages(): AsyncIterableIterator<UmadMessage> {
    return this.#messages;
  }

  close(): Promise<void> {
    this.closed = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
    this.umad.agents.delete(this);
    this.#messages.end();
    return Promise.resolve();
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #attempt(held: Held, attempt: number): void {
    const mad = readFakeQuery(held.bytes);
    const { to, timeoutMs, retries } = held.options;
    const receive = (): void => {
      for (const action of this.umad.sa.receive({ mad, device: this.device, port: this.port, to, attempt })) {
        if (action.type === "reply") this.#reply(mad, to, action);
      }
    };
    // After a turn, never inside send(): a real answer cannot arrive before the call returns.
    if (mad.attributeId !== SaAttribute.INFORM_INFO) this.#later(0, receive);
    // A subscription reaches the SA also if its sender is closed in the same turn; the answer still comes a turn later.
    else receive();
    this.#later(timeoutMs, () => {
      if (this.#held.get(mad.tid) !== held) return;
      if (attempt < retries) {
        this.#attempt(held, attempt + 1);
        return;
      }
      this.#held.delete(mad.tid);
      this.deliver(held.bytes.subarray(0, HEADER_SIZE), ETIMEDOUT, to);
    });
  }

  #reply(query: SaMad, from: MadAddress, action: Extract<FakeSaAction, { type: "reply" }>): void {
    const high = BigInt(this.agentId) << 32n;
    const tid = action.tid === undefined ? query.tid : high | (action.tid & 0xffff_ffffn);
    this.#later(action.delayMs ?? 0, () => {
      // The kernel hands an answer up only while it holds the request, whichever of its repeats it answers; copies go no further.
      if (tid === query.tid && !this.#held.delete(tid)) return;
      for (let copy = 0; copy < (action.copies ?? 1); copy += 1) {
        this.deliver(encodeFakeAnswer(query, tid, action), 0, { ...from, ...action.from });
      }
    });
  }

  #later(ms: number, action: () => void): void {
    const cancel = this.clock.schedule(ms, () => {
      this.#cancels.delete(cancel);
      action();
    });
    this.#cancels.add(cancel);
  }
}

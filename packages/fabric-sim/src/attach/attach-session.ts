import type { Socket } from "node:net";
import { isManagement } from "../fabric/packet-head.js";
import type { AgentRegistry } from "./agent-registry.js";
import type { AttachedHca, AttachHost, HcaChange } from "./attach-host.js";
import { DataOutbox } from "./data-outbox.js";
import { FrameReader, ProtocolViolation } from "./frame.js";
import type { IssmHolders } from "./issm-holders.js";
import {
  type ClientMessage,
  decodeClientMessage,
  encodeAsyncEvent,
  encodeHelloReply,
  encodePacketForAgent,
  encodeStatusReply,
  encodeValueReply,
  type Hello,
  type RegisterAgent,
} from "./messages.js";
import type { MulticastMembers } from "./multicast-members.js";
import type { NumberRegistry } from "./number-registry.js";
import { Errno, MessageType, PROTOCOL_VERSION, ViolationKind } from "./protocol.js";
import type { StatePages } from "./state-pages.js";

/** A program that reads nothing loses packets beyond this, as a full receive queue does. */
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;
/** LRH, BTH and DETH: no packet of a management agent is shorter. */
const MIN_PACKET = 28;

/** LRH and BTH: no packet of a queue pair is shorter. */
const MIN_DATA_PACKET = 20;

/** What sessions share. */
export interface SessionContext {
  readonly host: AttachHost;
  readonly agents: AgentRegistry<AttachSession>;
  readonly pages: StatePages;
  readonly issm: IssmHolders<AttachSession>;
  readonly numbers: NumberRegistry<AttachSession>;
  readonly members: MulticastMembers<AttachSession>;
  /** A queue pair of `sender` sends a packet from a port. */
  readonly send: (sender: AttachSession, hca: AttachedHca, portNumber: number, packet: Buffer) => void;
}

interface OpenPort {
  readonly hca: AttachedHca;
  readonly portNumber: number;
}

/** One attached program, for status output. */
export interface AttachedProgram {
  readonly pid: number;
  readonly program: string;
  readonly hcas: readonly string[];
  readonly openPorts: number;
  readonly agents: number;
}

/**
 * One connection of a program. Every message is checked; a program that breaks the protocol is disconnected, and whatever it
 * had (ports, agents, IsSM) is given back as when it ends.
 */
export class AttachSession {
  private readonly reader = new FrameReader();
  private hello: Hello | undefined;
  private hcas: readonly AttachedHca[] = [];
  private readonly ports = new Map<number, OpenPort>();
  /** Agent id to the handle of its port. */
  private readonly agents = new Map<number, number>();
  private readonly outbox = new DataOutbox((frames) => {
    if (!this.isFull) this.socket.write(frames);
  });
  private lastHandle = 0;
  private isClosed = false;

  constructor(
    private readonly socket: Socket,
    private readonly context: SessionContext,
    private readonly onClose: (session: AttachSession) => void,
  ) {
    socket.on("data", (chunk: Buffer) => {
      this.receive(chunk);
    });
    // The kernel reports a program that died by one of these; which one does not matter.
    socket.on("error", () => {
      this.close();
    });
    socket.on("close", () => {
      this.close();
    });
  }

  /** For status output. */
  describe(): AttachedProgram {
    return {
      pid: this.hello?.pid ?? 0,
      program: this.hello?.program ?? "",
      hcas: this.hcas.map((hca) => hca.id),
      openPorts: this.ports.size,
      agents: this.agents.size,
    };
  }

  /** Hands a packet to one of this program's agents. */
  deliver(agentId: number, packet: Buffer): void {
    if (!this.isFull) this.socket.write(encodePacketForAgent(agentId, packet));
  }

  /** Hands a packet to this program's queue pairs on a port. */
  deliverData(hca: AttachedHca, portNumber: number, packet: Buffer): void {
    if (!this.isFull) this.outbox.push(hca.index, portNumber, packet);
  }

  /** Tells the program of a change if it has that HCA. */
  announce(hca: AttachedHca, change: HcaChange): void {
    if (this.isClosed || change.type !== "async-event" || !this.hcas.includes(hca)) return;
    this.socket.write(encodeAsyncEvent(hca.index, change.event, change.portNumber));
  }

  /** Ends the connection and gives everything back; again: nothing. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const agentId of this.agents.keys()) this.context.agents.unregister(agentId);
    this.context.issm.releaseAll(this);
    this.context.numbers.releaseAll(this);
    this.context.members.releaseAll(this);
    this.agents.clear();
    this.ports.clear();
    this.socket.destroy();
    this.onClose(this);
  }

  private get isFull(): boolean {
    return this.isClosed || this.socket.writableLength > MAX_QUEUED_BYTES;
  }

  private receive(chunk: Buffer): void {
    try {
      for (const frame of this.reader.push(chunk)) {
        if (this.isClosed) return;
        const reply = this.handle(decodeClientMessage(frame));
        if (reply !== undefined) this.socket.write(reply);
        if (this.hello === undefined) this.socket.end();
      }
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      this.close();
    }
  }

  /** Does what a message asks for and gives the reply to send, if there is one. */
  private handle(message: ClientMessage): Buffer | undefined {
    if (message.type === "hello") return this.handleHello(message.tag, message.hello);
    if (this.hello === undefined) throw new ProtocolViolation("first message is not HELLO");
    switch (message.type) {
      case "open-port":
        return this.openPort(message.tag, message.hcaIndex, message.portNumber);
      case "close-port":
        return this.closePort(message.tag, message.portHandle);
      case "register-agent":
        return this.registerAgent(message.tag, message.request);
      case "unregister-agent":
        return this.unregisterAgent(message.tag, message.agentId);
      case "packet":
        this.sendPacket(message.portHandle, message.packet);
        return undefined;
      case "set-issm":
        return encodeStatusReply(MessageType.SET_ISSM, message.tag, this.setIssm(message));
      case "reserve":
        return this.reserve(message);
      case "data":
        this.sendData(message.hcaIndex, message.portNumber, message.packet);
        return undefined;
      case "multicast":
        return this.changeMembership(message);
      case "violation":
        this.countViolation(message);
        return undefined;
      case "sync":
        return encodeStatusReply(MessageType.SYNC, message.tag, Errno.OK);
    }
  }

  private handleHello(tag: number, hello: Hello): Buffer {
    if (this.hello !== undefined) throw new ProtocolViolation("second HELLO");
    if (hello.version !== PROTOCOL_VERSION) {
      const text =
        `the fabric speaks attach protocol ${PROTOCOL_VERSION}, this program ${hello.version}; ` +
        "use the libfabricsim.so of the same version";
      return encodeStatusReply(MessageType.HELLO, tag, Errno.EPROTO, text);
    }
    const hcas = new Set<AttachedHca>();
    for (const name of hello.nodes.split(",").map((part) => part.trim())) {
      if (name === "") continue;
      const found = this.context.host.hcasNamed(name);
      if (found.length === 0) {
        return encodeStatusReply(MessageType.HELLO, tag, Errno.ENODEV, `the fabric has no HCA named "${name}"`);
      }
      for (const hca of found) hcas.add(hca);
    }
    if (hcas.size === 0) {
      return encodeStatusReply(MessageType.HELLO, tag, Errno.ENODEV, "no node is named; set FABRICSIM_NODE");
    }
    return this.accept(tag, hello, [...hcas]);
  }

  private accept(tag: number, hello: Hello, hcas: readonly AttachedHca[]): Buffer {
    try {
      const pages = hcas.map((hca) => ({ index: hca.index, pageName: this.context.pages.nameOf(hca) }));
      this.hello = hello;
      this.hcas = hcas;
      return encodeHelloReply(tag, pages);
    } catch (error) {
      // A full disk is the program's misfortune, not the end of the fabric.
      return encodeStatusReply(MessageType.HELLO, tag, Errno.EIO, `no state page: ${String(error)}`);
    }
  }

  private findPort(hcaIndex: number, portNumber: number): OpenPort | undefined {
    const hca = this.hcas.find(({ index }) => index === hcaIndex);
    return hca?.ports.some(({ number }) => number === portNumber) ? { hca, portNumber } : undefined;
  }

  private reserve({ tag, hcaIndex, kind, count }: ClientMessage & { readonly type: "reserve" }): Buffer {
    if (!this.hcas.some(({ index }) => index === hcaIndex)) {
      return encodeStatusReply(MessageType.RESERVE, tag, Errno.ENODEV);
    }
    const first = this.context.numbers.reserve(hcaIndex, kind, count, this);
    return first === undefined
      ? encodeStatusReply(MessageType.RESERVE, tag, Errno.ENOSPC)
      : encodeValueReply(MessageType.RESERVE, tag, first);
  }

  private openPort(tag: number, hcaIndex: number, portNumber: number): Buffer {
    const port = this.findPort(hcaIndex, portNumber);
    if (port === undefined) return encodeStatusReply(MessageType.OPEN_PORT, tag, Errno.ENODEV);
    this.lastHandle += 1;
    this.ports.set(this.lastHandle, port);
    return encodeValueReply(MessageType.OPEN_PORT, tag, this.lastHandle);
  }

  private closePort(tag: number, portHandle: number): Buffer {
    const known = this.ports.delete(portHandle);
    for (const [agentId, handle] of this.agents) {
      if (handle === portHandle) this.dropAgent(agentId);
    }
    return encodeStatusReply(MessageType.CLOSE_PORT, tag, known ? Errno.OK : Errno.EBADF);
  }

  private registerAgent(tag: number, request: RegisterAgent): Buffer {
    const port = this.ports.get(request.portHandle);
    if (port === undefined) return encodeStatusReply(MessageType.REGISTER_AGENT, tag, Errno.EBADF);
    const agent = this.context.agents.register(port.hca.index, port.portNumber, request, this);
    if (typeof agent === "number") return encodeStatusReply(MessageType.REGISTER_AGENT, tag, agent);
    this.agents.set(agent.agentId, request.portHandle);
    return encodeValueReply(MessageType.REGISTER_AGENT, tag, agent.agentId);
  }

  private unregisterAgent(tag: number, agentId: number): Buffer {
    const known = this.agents.has(agentId);
    if (known) this.dropAgent(agentId);
    return encodeStatusReply(MessageType.UNREGISTER_AGENT, tag, known ? Errno.OK : Errno.EINVAL);
  }

  private dropAgent(agentId: number): void {
    this.agents.delete(agentId);
    this.context.agents.unregister(agentId);
  }

  private sendPacket(portHandle: number, packet: Buffer): void {
    if (packet.length < MIN_PACKET) throw new ProtocolViolation("truncated packet");
    const port = this.ports.get(portHandle);
    // The port may have been closed by another thread while the packet was on its way.
    if (port !== undefined) this.context.host.inject(port.hca, port.portNumber, packet);
  }

  private sendData(hcaIndex: number, portNumber: number, packet: Buffer): void {
    const hca = this.hcas.find(({ index }) => index === hcaIndex);
    if (hca?.ports[portNumber - 1] === undefined) throw new ProtocolViolation("packet from a port that is not there");
    if (packet.length < MIN_DATA_PACKET) throw new ProtocolViolation("truncated packet");
    // Subnet management belongs to queue pair 0, which agents have.
    if (isManagement(packet)) throw new ProtocolViolation("virtual lane 15");
    this.context.send(this, hca, portNumber, packet);
  }

  private changeMembership(message: Extract<ClientMessage, { type: "multicast" }>): Buffer {
    const { tag, isAttach, hcaIndex } = message;
    const type = isAttach ? MessageType.ATTACH_MULTICAST : MessageType.DETACH_MULTICAST;
    if (!this.hcas.some(({ index }) => index === hcaIndex)) return encodeStatusReply(type, tag, Errno.ENODEV);
    const mgid = message.mgid.toString("latin1");
    if (isAttach) this.context.members.attach(hcaIndex, mgid, this);
    const known = isAttach || this.context.members.detach(hcaIndex, mgid, this);
    return encodeStatusReply(type, tag, known ? Errno.OK : Errno.EINVAL);
  }

  private countViolation({ hcaIndex, portNumber, kind }: Extract<ClientMessage, { type: "violation" }>): void {
    const port = this.findPort(hcaIndex, portNumber);
    if (port === undefined) throw new ProtocolViolation("violation at a port that is not there");
    this.context.host.countViolation(port.hca, portNumber, kind === ViolationKind.PKEY ? "pkey" : "qkey");
  }

  private setIssm({ hcaIndex, portNumber, isOn }: Extract<ClientMessage, { type: "set-issm" }>): number {
    if (this.findPort(hcaIndex, portNumber) === undefined) return Errno.ENODEV;
    if (isOn) return this.context.issm.hold(hcaIndex, portNumber, this) ? Errno.OK : Errno.EAGAIN;
    return this.context.issm.release(hcaIndex, portNumber, this) ? Errno.OK : Errno.EINVAL;
  }
}

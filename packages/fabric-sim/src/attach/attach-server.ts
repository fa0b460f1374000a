import { once } from "node:events";
import { unlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { PortState } from "@verbena/ib";
import { simError } from "../errors.js";
import { destinationQpn, multicastGroup } from "../fabric/packet-head.js";
import { AgentRegistry } from "./agent-registry.js";
import type { AttachedHca, AttachHost } from "./attach-host.js";
import { type AttachedProgram, AttachSession, type SessionContext } from "./attach-session.js";
import { IssmHolders } from "./issm-holders.js";
import { readMadPacketHead } from "./mad-packet.js";
import { MulticastMembers } from "./multicast-members.js";
import { NumberRegistry } from "./number-registry.js";
import { MAX_SOCKET_PATH, SOCKET_NAME } from "./protocol.js";
import { StatePages } from "./state-pages.js";

/** Highest queue pair number of management. */
const GSI_QPN = 1;

/** Options of {@link AttachServer.listen}. */
export interface AttachServerOptions {
  readonly host: AttachHost;
  /** The fabric's directory; gets `fabric.sock` and a `state-N` file for each HCA that programs use. */
  readonly directory: string;
}

/** Where programs attach: the socket, the state pages and the agents of one fabric. */
export class AttachServer {
  private readonly sessions = new Set<AttachSession>();
  private readonly agents = new AgentRegistry<AttachSession>();
  private readonly numbers = new NumberRegistry<AttachSession>();
  private readonly members = new MulticastMembers<AttachSession>();
  private readonly pages: StatePages;
  private readonly endSubscription: () => void;
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly host: AttachHost,
    private readonly server: Server,
    directory: string,
  ) {
    this.pages = new StatePages(directory);
    for (const hca of host.hcas()) {
      host.setReceiver(hca, (portNumber, packet) => {
        if (!this.receive(hca, portNumber, packet)) host.unclaimed(hca, portNumber, packet);
      });
    }
    this.endSubscription = host.onChange((hca, change) => {
      if (change.type === "state") this.pages.update(hca);
      for (const session of this.sessions) session.announce(hca, change);
    });
    const context: SessionContext = {
      host,
      agents: this.agents,
      pages: this.pages,
      numbers: this.numbers,
      members: this.members,
      send: (sender, hca, portNumber, packet) => {
        this.send(sender, hca, portNumber, packet);
      },
      issm: new IssmHolders((hcaIndex, portNumber, isOn) => {
        const hca = host.hcas()[hcaIndex];
        if (hca !== undefined) host.setIsSm(hca, portNumber, isOn);
      }),
    };
    server.on("connection", (socket) => {
      this.sessions.add(new AttachSession(socket, context, (session) => this.sessions.delete(session)));
    });
  }

  /**
   * Begins to listen. The caller makes sure that no other fabric uses the directory; a socket file that
   * an earlier one left is replaced.
   *
   * @throws `VERBENA_SIM_SOCKET_PATH` if the socket's path is too long, `VERBENA_SIM_DIR` if the directory cannot be used.
   */
  static async listen({ host, directory }: AttachServerOptions): Promise<AttachServer> {
    const path = join(directory, SOCKET_NAME);
    const length = Buffer.byteLength(path);
    if (length > MAX_SOCKET_PATH) throw simError("VERBENA_SIM_SOCKET_PATH", { details: { path, length } });
    const server = createServer();
    try {
      removeStaleSocket(path);
      server.listen(path);
      await once(server, "listening");
      return new AttachServer(host, server, directory);
    } catch (error) {
      server.close();
      const problem = error instanceof Error ? error.message : String(error);
      throw simError("VERBENA_SIM_DIR", { details: { dir: directory, problem }, cause: error });
    }
  }

  /** The attached programs, for status output. */
  programs(): readonly AttachedProgram[] {
    return [...this.sessions].map((session) => session.describe());
  }

  /** Disconnects every program and removes socket and state pages; again: the same promise. */
  close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async closeOnce(): Promise<void> {
    this.endSubscription();
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
    for (const session of [...this.sessions]) session.close();
    await closed;
    this.pages.close();
  }

  private receive(hca: AttachedHca, portNumber: number, packet: Buffer): boolean {
    const qpn = destinationQpn(packet);
    if (qpn !== undefined && qpn > GSI_QPN) return this.receiveData(hca, portNumber, packet, qpn);
    const head = readMadPacketHead(packet);
    const agent = head === undefined ? undefined : this.agents.find(hca.index, portNumber, head);
    agent?.owner.deliver(agent.agentId, packet);
    return agent !== undefined;
  }

  private receiveData(hca: AttachedHca, portNumber: number, packet: Buffer, qpn: number): boolean {
    const group = multicastGroup(packet);
    if (group !== undefined) return this.deliverToGroup(hca, portNumber, packet, group);
    const owner = this.numbers.ownerOfQpn(hca.index, qpn);
    owner?.deliverData(hca, portNumber, packet);
    return owner !== undefined;
  }

  /** Hands a packet to all programs in the group but `sender`, which has served its own members; false if there are none. */
  private deliverToGroup(
    hca: AttachedHca,
    portNumber: number,
    packet: Buffer,
    group: string,
    sender?: AttachSession,
  ): boolean {
    let hasMembers = false;
    for (const member of this.members.of(hca.index, group)) {
      if (member === sender) continue;
      member.deliverData(hca, portNumber, packet);
      hasMembers = true;
    }
    return hasMembers;
  }

  private send(sender: AttachSession, hca: AttachedHca, portNumber: number, packet: Buffer): void {
    this.host.carry(hca, portNumber, packet);
    // No switch sends a multicast packet back to where it came from; the HCA copies it to its own members (IBA 10.5.2).
    const group = multicastGroup(packet);
    if (group === undefined || hca.ports[portNumber - 1]?.state !== PortState.ACTIVE) return;
    this.deliverToGroup(hca, portNumber, packet, group, sender);
  }
}

function removeStaleSocket(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

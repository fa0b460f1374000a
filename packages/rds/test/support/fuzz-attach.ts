import { VirtualClock } from "@verbena/core/testing";
import { IpAddress } from "@verbena/ib";
import type { LinkEvents } from "../../src/attach/link/attach-link.js";
import { clientFrame, dataFrame } from "../../src/attach/protocol/client-frames.js";
import { preamble } from "../../src/attach/protocol/frame-parts.js";
import { serverFrame } from "../../src/attach/protocol/server-frames.js";
import { AttachedHost } from "../attach/attached-host.js";
import { UserSpaceRig, virtualHost } from "../conformance/user-space-rig.js";

/** Turns after which sockets are emptied and it is seen whether everybody else is well. */
const ROUND = 1000;
const HERE = "10.0.0.5";

/** What a run has found. */
export interface AttachFindings {
  /** What was thrown, who was disturbed, what was left behind. */
  readonly problems: readonly string[];
  /** Connections that the stack, and programs, have cut off. */
  readonly refused: { readonly programs: number; readonly stacks: number };
  /** Frames that the stack has answered. */
  readonly answered: number;
  /** Memory of buffers at the end beyond that at the tenth part of the run, bytes. */
  readonly growth: number;
}

/**
 * Gives mutated conversations of programs to a stack, and mutated conversations of a stack to programs: turned bits, lost and doubled pieces, frames in
 * the wrong order, lengths and numbers of all sizes, in pieces of any size. Two well-behaved programs on the same stack go on throughout.
 */
export async function fuzzAttach(inputs: number, random: () => number): Promise<AttachFindings> {
  const clock = new VirtualClock();
  const rig = new UserSpaceRig("10.0.0.9", {}, clock);
  const server = rig.stack.serve({ maxSockets: 64 });
  const attached = new AttachedHost(virtualHost(clock));
  attached.serve(server);
  const [sender, receiver] = [attached.program().createSocket(), attached.program().createSocket()];
  await sender.bind(HERE, 60_001);
  await receiver.bind(HERE, 60_002);
  const problems: string[] = [];
  const refused = { programs: 0, stacks: 0 };
  let [answered, early, round] = [0, 0, 0];
  const conversations = { program: programFrames(), stack: stackFrames() };
  for (let turn = 0; turn < inputs; turn += 1) {
    try {
      if (turn % 2 === 0) {
        const talk = new Talk();
        server.attach(talk.connect);
        await speak(talk, conversations.program, random);
        answered += talk.sent;
        if (talk.isOver) refused.programs += 1;
        talk.hangUp();
      } else {
        const talk = new Talk();
        const fuzzed = new AttachedHost(virtualHost(clock));
        fuzzed.links.serve((connect) => connect(talk.accept(fuzzed)));
        const socket = fuzzed.program().createSocket();
        const bound = socket.bind(HERE, 4000).then(
          () => true,
          () => false,
        );
        await Promise.resolve();
        await speak(talk, conversations.stack, random, () => {
          // What a program does meanwhile.
          if (socket.localAddress === undefined) return;
          while (socket.tryReceive() !== undefined);
          if (socket.readiness.writable && socket.readiness.uncongested) {
            try {
              socket.trySend("x", { to: `${HERE}:7` });
            } catch (error) {
              if (!/_(?:EAGAIN|ENOBUFS|ENOMEM|EMSGSIZE)$/.test((error as { code?: string }).code ?? "")) throw error;
            }
          }
        });
        if (fuzzed.events.some(({ type }) => type === "detached")) refused.stacks += 1;
        fuzzed.links.serve(undefined);
        talk.hangUp();
        await socket.close();
        if (!(await bound)) refused.stacks += 1;
      }
    } catch (error) {
      problems.push(`input ${turn}: ${String(error)}`);
    }
    if (turn % ROUND !== 0) continue;
    round += 1;
    await clock.advance(10_000);
    sender.trySend(String(round), { to: `${HERE}:60002` });
    let text: string | undefined;
    for (let item = receiver.tryReceive(); item !== undefined; item = receiver.tryReceive()) {
      if (item.type === "message" && item.source.port === 60_001) text = item.data.toString();
    }
    if (text !== String(round)) problems.push(`input ${turn}: other programs were disturbed, ${String(text)}`);
    if (server.sockets.length !== 2) problems.push(`input ${turn}: ${server.sockets.length - 2} sockets left behind`);
    if (turn <= inputs / 10) early = process.memoryUsage().arrayBuffers;
  }
  const growth = process.memoryUsage().arrayBuffers - early;
  await Promise.all([sender.close(), receiver.close()]);
  await rig.close();
  if (clock.pending > 0) problems.push(`${clock.pending} timers left behind`);
  return { problems, refused, answered, growth };
}

/** One connection, whose other side is the run itself. */
class Talk {
  /** Frames, roughly, that came from the other side. */
  sent = 0;
  isOver = false;
  #events: LinkEvents | undefined;

  readonly connect = (events: LinkEvents) => {
    this.#events = events;
    return {
      send: () => {
        this.sent += 1;
      },
      backlog: 0,
      pause: () => undefined,
      resume: () => undefined,
      end: () => {
        this.isOver = true;
      },
      destroy: () => {
        this.isOver = true;
      },
    };
  };

  /** As the stack's side of a connection in memory. */
  accept(host: AttachedHost): LinkEvents {
    let link: ReturnType<Parameters<Parameters<AttachedHost["links"]["serve"]>[0] & object>[0]> | undefined;
    const events: LinkEvents = {
      received: () => {
        this.sent += 1;
      },
      drained: () => undefined,
      closed: () => {
        this.isOver = true;
      },
    };
    queueMicrotask(() => undefined);
    void link;
    void host;
    return events;
  }

  say(bytes: Buffer): void {
    if (!this.isOver) this.#events?.received(bytes);
  }

  hangUp(): void {
    this.#events?.closed(undefined);
  }
}

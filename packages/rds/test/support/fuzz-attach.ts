import { VirtualClock } from "@verbena/core/testing";
import { VerbenaError } from "@verbena/ib";
import type { RdsSocket } from "../../src/index.js";
import { AttachedHost, stackServer } from "../attach/attached-host.js";
import { UserSpaceRig, virtualHost } from "../conformance/user-space-rig.js";
import { programTalk, stackTalk, Talk } from "./attach-talk.js";

/** Turns after which it is seen whether everybody else is well, and memory is looked at. */
const ROUND = 1000;
const HERE = "10.0.0.5";

/** What a run has found. */
export interface AttachFindings {
  /** What was thrown, who was disturbed, what was left behind. */
  readonly problems: readonly string[];
  /** Conversations that were cut off: by the stack, by a program. */
  readonly cut: { readonly byStack: number; readonly byProgram: number };
  /** Pieces that were answered. */
  readonly answers: number;
  /** Memory of buffers at the end beyond that at the tenth part of the run, bytes. */
  readonly growth: number;
}

/**
 * Says mutated conversations of programs to a stack, and mutated ones of a stack to programs, by turns: turned bits, frames in the wrong order, lengths and
 * numbers of all sizes, in pieces of any size. Two well-behaved programs on the same stack go on throughout.
 */
export async function fuzzAttach(inputs: number, random: () => number): Promise<AttachFindings> {
  const clock = new VirtualClock();
  const rig = new UserSpaceRig("10.0.0.9", {}, undefined, clock);
  const server = stackServer(rig.stack.serve({ maxSockets: 64 }));
  const attached = new AttachedHost(virtualHost(clock));
  attached.serve(server);
  const others = [attached.program(), attached.program()] as const;
  const [sender, receiver] = [others[0].createSocket(), others[1].createSocket()];
  await sender.bind(HERE, 60_001);
  await receiver.bind(HERE, 60_002);
  const problems: string[] = [];
  const cut = { byStack: 0, byProgram: 0 };
  let [answers, early] = [0, 0];
  const toStack = async (): Promise<void> => {
    const talk = new Talk();
    server.attach(talk.connect);
    const { opening, rest } = programTalk(random);
    talk.say(opening, random);
    await bindSettled();
    talk.say(rest, random);
    answers += talk.heard;
    if (talk.isOver) cut.byStack += 1;
    talk.hangUp();
  };
  const toProgram = async (): Promise<void> => {
    const talk = new Talk();
    const program = new AttachedHost(virtualHost(clock), talk.connect).program();
    const socket = program.createSocket();
    const bound = socket.bind(HERE, 4000).catch(acceptCoded);
    await bindSettled();
    const { opening, rest } = stackTalk(random);
    talk.say(opening, random);
    await bindSettled();
    use(socket);
    talk.say(rest, random);
    use(socket);
    answers += talk.heard;
    if (talk.isOver) cut.byProgram += 1;
    talk.hangUp();
    const closing = program.close();
    talk.hangUp();
    await Promise.all([bound, closing]);
  };
  const look = async (turn: number): Promise<void> => {
    await clock.advance(10_000);
    const text = String(turn);
    while (receiver.tryReceive() !== undefined);
    sender.trySend(text, { to: `${HERE}:60002` });
    const all = [];
    for (let item = receiver.tryReceive(); item !== undefined; item = receiver.tryReceive()) {
      if (item.type === "message" && item.source.port === 60_001) all.push(item.data.toString());
    }
    if (all.join() !== text) problems.push(`input ${turn}: other programs were disturbed, ${JSON.stringify(all)}`);
    const left = server.sockets.length - 2;
    if (left !== 0) problems.push(`input ${turn}: ${left} sockets left behind`);
    if (turn <= inputs / 10) early = process.memoryUsage().arrayBuffers;
  };
  for (let turn = 0; turn < inputs; turn += 1) {
    try {
      await (turn % 2 === 0 ? toStack() : toProgram());
      if (turn % ROUND === 0) await look(turn);
    } catch (error) {
      problems.push(`input ${turn}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
  const growth = process.memoryUsage().arrayBuffers - early;
  await Promise.all(others.map((program) => program.close()));
  await rig.close();
  if (clock.pending > 0) problems.push(`${clock.pending} timers left behind`);
  return { problems, cut, answers, growth };
}

/** What a program does between what it hears. */
function use(socket: RdsSocket): void {
  socket.info("counters").catch(acceptCoded);
  while (socket.tryReceive() !== undefined);
  for (let port = 2; port < 6; port += 1) {
    try {
      socket.trySend("x", { to: `${HERE}:${port}` });
    } catch (error) {
      acceptCoded(error);
    }
  }
}

/** The package's own errors are answers; anything else is a fault. */
function acceptCoded(error: unknown): void {
  if (!VerbenaError.is(error) || !error.code.startsWith("VERBENA_RDS_")) throw error;
}

/** Binding takes some turns of the queue of promises. */
async function bindSettled(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
}

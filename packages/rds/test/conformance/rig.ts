import type { ReceivedItem, ReceivedMessage } from "@verbena/core/sdk";
import type { RdsSocket, RdsSocketOptions } from "../../src/index.js";

/** A message as `received` tells it. */
export interface Seen {
  readonly text: string;
  readonly from: string;
}

/**
 * An environment for the conformance tests of one back end: E1, sockets on loopback addresses; E2, on one or two other addresses of this host;
 * E3, with a peer. Tests name what they need; sockets are closed after each test.
 */
export interface Rig {
  readonly backEnd: "user-space" | "kernel";
  /** Loopback addresses (E1). */
  readonly loopback: readonly [string, string];
  /** Addresses of this host that are not loopback (E2). */
  readonly local: readonly [string, string];
  /** Names of the transports of a loopback address and of a local one. */
  readonly transports: readonly [string, string];
  /** Name by which a socket asks for the transport of local addresses. */
  readonly networkTransport: string;
  /** What is known of a peer's congestion stays while the peer is away. Not so where both are of one kernel, which has one map for each address. */
  readonly keepsForeignMaps: boolean;
  /** The peer (E3): a host of its own, away until it appears. */
  readonly peer: {
    readonly address: string;
    socket(options?: RdsSocketOptions): RdsSocket;
    appear(): Promise<void>;
    /** Goes away: what is sent to it waits. Its sockets stay. */
    vanish(): Promise<void>;
  };
  socket(options?: RdsSocketOptions): RdsSocket;
  /** Milliseconds, of the clock that time-outs go by. */
  now(): number;
  /** Waits for a promise, letting time pass. */
  run<T>(promise: Promise<T>): Promise<T>;
  /** Lets time pass, milliseconds. */
  pass(ms: number): Promise<void>;
  /** Lets settle what needs no time. */
  settle(): Promise<void>;
  /** Closes what a test has opened. */
  reset(): Promise<void>;
}

/** A small limit, as the tests use it. */
export const LIMIT = 10_000;

/** A socket bound to a port, both limits small. */
export async function bound(
  rig: Pick<Rig, "socket">,
  address: string,
  port: number,
  options: RdsSocketOptions = {},
): Promise<RdsSocket> {
  const socket = rig.socket(options);
  await socket.bind(address, port);
  return socket;
}

/** What a message says and whence. */
export function seen(item: ReceivedItem | undefined): Seen | undefined {
  if (item === undefined) return undefined;
  const { data, source } = message(item);
  return { text: data.toString("latin1"), from: `${source.address}:${String(source.port)}` };
}

/** The item, which must be a message. */
export function message(item: ReceivedItem | undefined): ReceivedMessage {
  if (item?.type !== "message") throw new Error(`expected a message, got ${JSON.stringify(item?.type)}`);
  return item;
}

/** The errno, or result, of a call that does not wait. */
export function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return errnoOf(error);
  }
}

/** The errno, or result, of a call that may wait. */
export async function result(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    return errnoOf(error);
  }
}

/** The errno's name at the end of an error's code. */
export function errnoOf(error: unknown): string {
  const { code } = error as { readonly code?: string };
  if (code === undefined) throw error;
  return code.replace("VERBENA_RDS_", "");
}

/** Sends one byte more each time until refused; gives how many went and why the next did not. */
export function sendUntilRefused(
  socket: RdsSocket,
  to: string,
  length: number,
  most = 1000,
): readonly [number, unknown] {
  for (let count = 0; count < most; count += 1) {
    const answer = outcome(() => socket.trySend(Buffer.alloc(length), { to }));
    if (answer !== length) return [count, answer];
  }
  return [most, undefined];
}

/** All messages that wait. */
export function receiveAll(socket: RdsSocket): readonly ReceivedMessage[] {
  const all: ReceivedMessage[] = [];
  for (let item = socket.tryReceive(); item !== undefined; item = socket.tryReceive()) all.push(message(item));
  return all;
}

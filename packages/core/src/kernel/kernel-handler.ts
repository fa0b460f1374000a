import {
  ACM_STATUS,
  decodeNetlinkHeader,
  decodeNetlinkLsRequest,
  encodeNetlinkFailure,
  encodeNetlinkGidAnswer,
  IpAddress,
  isNetlinkLs,
  type NetlinkHeader,
  type NetlinkIpResolveRequest,
  NetlinkLs,
  type NetlinkLsRequest,
  type NetlinkResolveRequest,
  VerbenaError,
} from "@verbena/ib";
import type { AcmEdgeCounters } from "../acm/edge-counters.js";
import { failureOf, INTERNAL } from "../acm/status.js";
import type { ClientIdentity, ResolveAnswer, ResolverEngine } from "../engine/contract.js";
import { Destination } from "../sdk/destination.js";
import type { Logger } from "../sdk/services.js";
import { encodePathAnswer } from "./path-answer.js";
import { pathRequestOf } from "./path-query.js";

/** Requests in work at once; the next ones get the failure message, with which the kernel asks the SA itself. */
export const MAX_KERNEL_REQUESTS = 1_024;

/** The kernel as a client of the engine: there is one, and it has no process. */
const KERNEL: ClientIdentity = { id: 0, kind: "netlink" };

/** What {@link KernelRequestHandler} needs. */
export interface KernelHandlerOptions {
  readonly engine: ResolverEngine;
  /** Shared with the ACM socket: its clients' PERF counts the kernel's requests, too. */
  readonly edge: AcmEdgeCounters;
  readonly logger: Logger;
  /** Own process id, part of every answer. */
  readonly pid: number;
  /** How long a request may take now, milliseconds: less than the kernel waits. */
  readonly deadlineMs: () => number;
}

/** Takes one message to the kernel. */
export type KernelReply = (message: Buffer) => void;

/**
 * Answers the kernel's requests from the engine, message by message: RESOLVE with path records, IP_RESOLVE with a GID, everything else of
 * the local service with the failure message. Every request gets one answer, at the latest at its deadline; the kernel finds its request
 * by the sequence number. Messages of other services get none.
 */
export class KernelRequestHandler {
  readonly #options: KernelHandlerOptions;
  readonly #stop = new AbortController();
  #requests = 0;
  #failures = 0;
  #inWork = 0;

  constructor(options: KernelHandlerOptions) {
    this.#options = options;
  }

  /** Requests received. */
  get requests(): number {
    return this.#requests;
  }
  /** Of these, answered with the failure message. */
  get failures(): number {
    return this.#failures;
  }

  /** `message`: header and payload, as long as the header says. Never throws. */
  handle(message: Buffer, reply: KernelReply): void {
    const header = decodeNetlinkHeader(message);
    if (!isNetlinkLs(header.type)) {
      this.#options.logger.debug("netlink message of another service is passed over", { type: header.type });
      return;
    }
    this.#requests++;
    if (isQuery(header.type)) this.#options.edge.received();
    const request = this.#decode(message);
    if (request === undefined) {
      this.#fail(header, ACM_STATUS.EINVAL, reply);
      return;
    }
    switch (request.kind) {
      case "resolve":
        this.#resolve(request, reply);
        return;
      case "ip-resolve":
        this.#resolveIp(request, reply);
        return;
      case "other":
        this.#options.logger.debug("unknown operation of the kernel's local service", { type: header.type });
        this.#fail(header, ACM_STATUS.EINVAL, reply);
        return;
      default:
        request satisfies never;
    }
  }

  /** Ends the requests in work; they get the failure message at once. */
  close(): void {
    this.#stop.abort();
  }

  #decode(message: Buffer): NetlinkLsRequest | undefined {
    try {
      return decodeNetlinkLsRequest(message);
    } catch (error) {
      if (!VerbenaError.is(error)) throw error;
      this.#options.logger.debug("request of the kernel cannot be read", { reason: error.message });
      return undefined;
    }
  }

  #resolve(request: NetlinkResolveRequest, reply: KernelReply): void {
    const { engine, pid, deadlineMs } = this.#options;
    const wanted = pathRequestOf(request, {
      deadlineMs: deadlineMs(),
      signal: this.#stop.signal,
      client: KERNEL,
      endpoints: () => engine.endpoints(),
    });
    if (wanted === undefined) {
      this.#fail(request.header, ACM_STATUS.EDESTADDR, reply);
      return;
    }
    this.#answer(request.header, reply, {
      cached: () => engine.tryResolvePathCached?.(wanted),
      ask: () => engine.resolvePath(wanted),
      encode: ({ paths }) => encodePathAnswer(request, paths, pid),
    });
  }

  #resolveIp({ header, address }: NetlinkIpResolveRequest, reply: KernelReply): void {
    const { engine, pid, deadlineMs } = this.#options;
    if (address === undefined) {
      this.#fail(header, ACM_STATUS.EDESTADDR, reply);
      return;
    }
    const wanted = {
      destination: Destination.ip(IpAddress.fromBytes(address)),
      deadlineMs: deadlineMs(),
      signal: this.#stop.signal,
      client: KERNEL,
    };
    this.#answer(header, reply, {
      cached: () => engine.tryResolveCached?.(wanted),
      ask: () => engine.resolve(wanted),
      encode: ({ paths: [path] }) => {
        if (path === undefined) throw new TypeError("an answer without paths");
        return encodeNetlinkGidAnswer({ sequence: header.sequence, pid, gid: path.dgid });
      },
    });
  }

  #answer(header: NetlinkHeader, reply: KernelReply, question: Question): void {
    const succeeded = (answer: ResolveAnswer): void => {
      const message = question.encode(answer);
      this.#options.edge.answered(ACM_STATUS.SUCCESS);
      reply(message);
    };
    const failed = (error: unknown): void => {
      this.#fail(header, (failureOf(error) ?? this.#internal(error)).status, reply);
    };
    try {
      const cached = question.cached();
      if (cached !== undefined) {
        succeeded(cached);
        return;
      }
      if (this.#inWork >= MAX_KERNEL_REQUESTS) {
        this.#fail(header, INTERNAL.status, reply);
        return;
      }
      this.#inWork++;
      question
        .ask()
        .finally(() => {
          this.#inWork--;
        })
        .then(succeeded)
        .catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** With this answer the kernel asks the SA itself, at once. */
  #fail({ type, sequence }: NetlinkHeader, status: number, reply: KernelReply): void {
    this.#failures++;
    if (isQuery(type)) this.#options.edge.answered(status);
    reply(encodeNetlinkFailure({ type, sequence, pid: this.#options.pid }));
  }

  #internal(error: unknown): typeof INTERNAL {
    this.#options.logger.error("request of the kernel failed for an unexpected reason", { error });
    return INTERNAL;
  }
}

/** What the counters of the client protocol count as a RESOLVE request. */
function isQuery(type: number): boolean {
  return type === NetlinkLs.RESOLVE || type === NetlinkLs.IP_RESOLVE;
}

interface Question {
  /** The answer, if it is known. */
  cached(): ResolveAnswer | undefined;
  ask(): Promise<ResolveAnswer>;
  encode(answer: ResolveAnswer): Buffer;
}

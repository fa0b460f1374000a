import {
  ACM_FLAG,
  ACM_HEADER_SIZE,
  ACM_OPCODE,
  ACM_PATH_FLAG,
  ACM_RECORD_SIZE,
  ACM_TYPE,
  type AcmResolveRequest,
  decodeAcmRequest,
  encodeAcmErrorReply,
  encodeResolveReply,
  type OptionNames,
} from "@verbena/ib";
import { checkOptions } from "../check-options.js";
import type { ResolveAnswer, ResolverEngine } from "../engine/contract.js";
import { Footing } from "../engine/footing.js";
import { silentLogger } from "../host/default-services.js";
import type { Logger } from "../sdk/services.js";
import type { AcmClientHandle, AcmReply, AcmRequestHandler } from "../server/handler.js";
import { ipRecord } from "./address.js";
import { AcmEdgeCounters } from "./edge-counters.js";
import { answerEndpoint } from "./endpoint.js";
import { answerPerf } from "./perf.js";
import { parseResolveAddress } from "./resolve-address.js";
import { parseResolvePath } from "./resolve-path.js";
import { type AcmFailure, failureOf, INTERNAL, MALFORMED, statusOfMad } from "./status.js";

/** The part of the engine that answers at once what its caches hold, so that a hit is answered in the turn it was asked in. */
export type CachedResolver = Pick<ResolverEngine, "tryResolveCached" | "tryResolvePathCached">;

/** Keeps replies: whole messages, what was asked and what was answered. */
export interface ReplyKeeper {
  /** Both whole messages; `reply` may be given out for equal requests as long as `footing` holds. */
  keep(request: Buffer, reply: Buffer, footing: Footing): void;
}

/** What {@link createAcmHandler} needs. */
export interface AcmHandlerOptions {
  readonly engine: ResolverEngine;
  /** Shared with other edges; a fresh one unless given. */
  readonly edge?: AcmEdgeCounters;
  /** Offered each reply that came from the caches, to give it out by itself as long as it is good. */
  readonly keeper?: ReplyKeeper;
  readonly logger?: Logger;
}

const OPTIONS: OptionNames<AcmHandlerOptions> = { engine: true, edge: true, keeper: true, logger: true };

/**
 * Makes the handler that answers the ACM client protocol from the engine: decodes, asks, encodes, and maps codes to statuses.
 * Throws VERBENA_OPTION_UNKNOWN.
 */
export function createAcmHandler(options: AcmHandlerOptions): AcmRequestHandler {
  checkOptions("createAcmHandler", options, OPTIONS);
  return new AcmHandler(options);
}

class AcmHandler implements AcmRequestHandler {
  readonly #engine: ResolverEngine;
  readonly #edge: AcmEdgeCounters;
  readonly #keeper: ReplyKeeper | undefined;
  readonly #logger: Logger;

  constructor({ engine, edge = new AcmEdgeCounters(), keeper, logger = silentLogger }: AcmHandlerOptions) {
    this.#engine = engine;
    this.#edge = edge;
    this.#keeper = keeper;
    this.#logger = logger;
  }

  handle(client: AcmClientHandle, message: Buffer, reply: AcmReply): void {
    const request = decodeAcmRequest(message);
    switch (request.kind) {
      case "perf":
        reply(answerPerf(request, this.#engine, this.#edge));
        return;
      case "endpoint":
        reply(answerEndpoint(request, this.#engine, this.#logger));
        return;
      case "resolve":
        this.#edge.received();
        this.#resolve(client, request, message, reply);
    }
  }

  /** The first record alone decides what kind of RESOLVE it is. */
  #resolve(client: AcmClientHandle, request: AcmResolveRequest, message: Buffer, reply: AcmReply): void {
    const [first] = request.records;
    if (request.header.opcode !== ACM_OPCODE.RESOLVE) {
      this.#fail(request, MALFORMED, reply);
    } else if (first?.type !== ACM_TYPE.PATH) {
      this.#resolveAddress(client, request, message, reply);
    } else if ((first.flags & ACM_FLAG.QUERY_SA) !== 0) {
      this.#querySa(client, request, message, reply);
    } else {
      this.#resolvePath(client, request, message, reply);
    }
  }

  #resolveAddress(client: AcmClientHandle, request: AcmResolveRequest, message: Buffer, reply: AcmReply): void {
    const parsed = parseResolveAddress(request.records, client);
    if ("failure" in parsed) return this.#fail(request, parsed.failure, reply);
    const wanted = parsed.request;
    this.#answer(
      request,
      message,
      reply,
      (footing) => this.#engine.tryResolveCached?.(wanted, footing),
      () => this.#engine.resolve({ ...wanted, signal: client.signal }),
    );
  }

  #resolvePath(client: AcmClientHandle, request: AcmResolveRequest, message: Buffer, reply: AcmReply): void {
    const [record] = request.records;
    if (record === undefined) return;
    const parsed = parseResolvePath(record, client);
    if ("failure" in parsed) return this.#fail(request, parsed.failure, reply);
    const wanted = parsed.request;
    this.#answer(
      request,
      message,
      reply,
      (footing) => this.#engine.tryResolvePathCached?.(wanted, footing),
      () => this.#engine.resolvePath({ ...wanted, signal: client.signal }),
    );
  }

  #answer(
    request: AcmResolveRequest,
    message: Buffer,
    reply: AcmReply,
    fromCache: (footing: Footing | undefined) => ResolveAnswer | undefined,
    ask: () => Promise<ResolveAnswer>,
  ): void {
    const failed = (error: unknown): void => {
      this.#fail(request, failureOf(error) ?? this.#internal(error), reply);
    };
    const succeeded = (answer: ResolveAnswer): Buffer => {
      const bytes = encodeAnswer(request, answer);
      this.#edge.answered(0);
      reply(bytes);
      return bytes;
    };
    try {
      const footing = this.#keeper && new Footing();
      const cached = fromCache(footing);
      if (cached === undefined) {
        ask().then(succeeded).catch(failed);
        return;
      }
      const bytes = succeeded(cached);
      if (footing !== undefined) this.#keeper?.keep(message, bytes, footing);
    } catch (error) {
      failed(error);
    }
  }

  /** Answered by a header alone, in the opcode that tells core errors from failed lookups. */
  #fail(request: AcmResolveRequest, failure: AcmFailure, reply: AcmReply): void {
    const { opcode, tid } = request.header;
    this.#edge.answered(failure.status);
    reply(
      encodeAcmErrorReply({
        opcode: failure.isCoreError ? opcode | ACM_OPCODE.ACK : opcode,
        status: failure.status,
        tid,
      }),
    );
  }

  /** The reply is as long as the request whatever happens: the client's record, or what the SA returned in its place. */
  #querySa(client: AcmClientHandle, request: AcmResolveRequest, message: Buffer, reply: AcmReply): void {
    const send = (status: number, record?: Buffer): void => {
      reply(encodeSaReply(request, message, status, record));
    };
    if (message.length !== ACM_HEADER_SIZE + ACM_RECORD_SIZE) {
      send(MALFORMED.status);
      return;
    }
    const record = message.subarray(message.length - ACM_RECORD_SIZE + 8);
    this.#engine
      .querySa({ record, client, signal: client.signal })
      .then((answer) => {
        send(statusOfMad(answer.madStatus), answer.record);
      })
      .catch((error: unknown) => {
        send((failureOf(error) ?? this.#internal(error)).status);
      });
  }

  #internal(error: unknown): AcmFailure {
    this.#logger.error("request failed for an unexpected reason", {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    return INTERNAL;
  }
}

function encodeAnswer(request: AcmResolveRequest, answer: ResolveAnswer): Buffer {
  const [path] = answer.paths;
  if (path === undefined) throw new TypeError("an answer without paths");
  return encodeResolveReply({
    opcode: ACM_OPCODE.RESOLVE,
    tid: request.header.tid,
    paths: [{ flags: ACM_PATH_FLAG.ANSWER, path }],
    records: answer.chosenSource === undefined ? [] : [ipRecord(ACM_FLAG.SOURCE, answer.chosenSource)],
  });
}

function encodeSaReply(
  { header }: AcmResolveRequest,
  message: Buffer,
  status: number,
  record: Buffer | undefined,
): Buffer {
  const bytes = Buffer.from(message);
  bytes[1] = header.opcode | ACM_OPCODE.ACK;
  bytes[2] = status;
  bytes.fill(0, 3, 6);
  record?.copy(bytes, ACM_HEADER_SIZE + 8, 0, ACM_RECORD_SIZE - 8);
  return bytes;
}

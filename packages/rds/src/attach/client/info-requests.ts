import type { TransportInfoLists } from "@verbena/core/sdk";
import { rdsError } from "../../errors.js";
import { readInfoText } from "../protocol/info-text.js";
import { malformed } from "../protocol/malformed.js";

/** Longest list that is put together, bytes of its text. */
const MAX_TEXT = 256 << 20;

interface Request {
  readonly send: () => void;
  readonly parts: Buffer[];
  length: number;
  readonly resolve: (list: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Lists that were asked for, until they have come. The stack is asked for one after the other. */
export class InfoRequests {
  readonly #requests = new Map<number, Request>();
  #next = 1;

  constructor(private readonly path: string) {}

  /** Asks by `send`. Rejects with `VERBENA_RDS_ATTACH_REFUSED`, or what {@link failAll} gives. */
  ask<List extends keyof TransportInfoLists>(send: (request: number) => void): Promise<TransportInfoLists[List]> {
    const request = this.#next;
    this.#next = request === 0xffff_ffff ? 1 : request + 1;
    return new Promise<TransportInfoLists[List]>((resolve, reject) => {
      const isAlone = this.#requests.size === 0;
      this.#requests.set(request, {
        send: () => {
          send(request);
        },
        parts: [],
        length: 0,
        resolve: (list) => resolve(list as TransportInfoLists[List]),
        reject,
      });
      if (isAlone) send(request);
    });
  }

  /** Throws `VERBENA_RDS_ATTACH_MALFORMED` for what was not asked for, and for what is no list. */
  part(number: number, isLast: boolean, bytes: Buffer): void {
    const request = this.#requests.get(number);
    if (request === undefined) throw malformed("a list", "nobody's question");
    request.parts.push(bytes);
    request.length += bytes.length;
    if (request.length > MAX_TEXT) throw malformed("a list", `more than ${String(MAX_TEXT)} bytes`);
    if (!isLast) return;
    const answer = readInfoText(Buffer.concat(request.parts));
    this.#requests.delete(number);
    const [next] = this.#requests.values();
    next?.send();
    if ("list" in answer) request.resolve(answer.list);
    else request.reject(refused(this.path, answer.error));
  }

  failAll(error: Error): void {
    const all = [...this.#requests.values()];
    this.#requests.clear();
    for (const { reject } of all) reject(error);
  }
}

const refused = (path: string, reason: string): Error =>
  rdsError("VERBENA_RDS_ATTACH_REFUSED", { details: { path, reason } });

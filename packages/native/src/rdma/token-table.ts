import type { CompletionRecords } from "./completion-records.js";

/** Takes one completion; true if it was the last for its token. */
export type TokenHandler = (records: CompletionRecords, index: number) => boolean;

/** Numbers that travel with work requests of the library and find who waits for their completions. 0 is never given. */
export class TokenTable {
  readonly #handlers: (TokenHandler | undefined)[] = [undefined];
  readonly #free: number[] = [];

  add(handler: TokenHandler): number {
    const token = this.#free.pop() ?? this.#handlers.length;
    this.#handlers[token] = handler;
    return token;
  }

  get(token: number): TokenHandler | undefined {
    return this.#handlers[token];
  }

  /** MUST NOT be called before the last completion with it has come, or never can. */
  delete(token: number): void {
    if (this.#handlers[token] === undefined) return;
    this.#handlers[token] = undefined;
    this.#free.push(token);
  }
}

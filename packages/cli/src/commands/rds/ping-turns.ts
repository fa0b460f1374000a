/** What is under way on one socket. */
export interface PingUnderWay {
  readonly sequence: number;
  readonly sentNs: bigint;
}

/** Whose turn it is to ping, of sockets that have one ping under way at most: the next one that waits for no answer, so that a lost one holds up no other. */
export class PingTurns {
  readonly #pending: (PingUnderWay | undefined)[];
  #next = 0;
  #sent = 0;

  constructor(sockets: number) {
    this.#pending = Array.from({ length: sockets }, () => undefined);
  }

  /** Pings so far. */
  get sent(): number {
    return this.#sent;
  }

  /** A ping is sent now, on the socket of this index; `undefined` while all wait. */
  take(nowNs: bigint): number | undefined {
    const { length } = this.#pending;
    for (let tried = 0; tried < length; tried += 1) {
      const index = (this.#next + tried) % length;
      if (this.#pending[index] !== undefined) continue;
      this.#next = (index + 1) % length;
      this.#sent += 1;
      this.#pending[index] = { sequence: this.#sent, sentNs: nowNs };
      return index;
    }
    return undefined;
  }

  /** An answer has come to a socket: to what; `undefined` if nobody waited for it. */
  answered(index: number): PingUnderWay | undefined {
    const ping = this.#pending[index];
    this.#pending[index] = undefined;
    return ping;
  }
}

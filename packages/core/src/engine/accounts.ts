import { MembershipBook } from "../memberships/membership-book.js";
import { SaCountBook } from "../sa-client/sa-count-book.js";
import type { Random } from "../sdk/services.js";
import { ClientBook, type CommandReader } from "./client-book.js";
import { CounterBook } from "./counters.js";
import { Tally } from "./tally.js";

/** What is counted, and what is remembered of ports, over the life of a daemon, whichever engine works for it: a reload that exchanges the engine goes on counting. */
export class Accounts {
  readonly counters = new CounterBook();
  readonly clients: ClientBook;
  readonly sa = new SaCountBook();
  readonly memberships = new MembershipBook();
  /** Who reads the books calls its `bring` first. */
  readonly tally = new Tally();
  readonly #prefix: string;
  #requests = 0;

  constructor(random: Random, commandOf?: CommandReader) {
    this.clients = new ClientBook(commandOf);
    this.#prefix = `${Math.floor(random() * 0x1_0000)
      .toString(16)
      .padStart(4, "0")}-`;
  }

  /** An id that no other request has: SA queries are charged to clients by it. */
  readonly nextRequestId = (): string => {
    this.#requests += 1;
    return this.#prefix + this.#requests.toString(36);
  };
}

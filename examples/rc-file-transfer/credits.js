/** How many slots of the receiver are free. It says so by messages without data, whose immediate data is a number of slots. */
export class Credits {
  #free;
  #messages;

  /**
   * @param {number} free at the begin
   * @param {AsyncIterator<import("@verbena/native").Message>} messages of the receiver
   */
  constructor(free, messages) {
    this.#free = free;
    this.#messages = messages;
  }

  /** Takes one; waits until there is one. */
  async take() {
    while (this.#free === 0) {
      const { done, value } = await this.#messages.next();
      if (done) throw new Error("the connection was closed");
      this.#free += value.completion.imm ?? 0;
    }
    this.#free--;
  }
}

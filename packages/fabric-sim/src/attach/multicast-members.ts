/** Which attached programs have queue pairs in which multicast groups, by HCA. */
export class MulticastMembers<Owner> {
  readonly #members = new Map<string, Set<Owner>>();

  /** `mgid`: 16 bytes as a string of as many characters. A second time: nothing. */
  attach(hcaIndex: number, mgid: string, owner: Owner): void {
    const key = keyOf(hcaIndex, mgid);
    const members = this.#members.get(key) ?? new Set();
    members.add(owner);
    this.#members.set(key, members);
  }

  /** @returns false if the program was not in the group. */
  detach(hcaIndex: number, mgid: string, owner: Owner): boolean {
    const key = keyOf(hcaIndex, mgid);
    const members = this.#members.get(key);
    const wasMember = members?.delete(owner) ?? false;
    if (members?.size === 0) this.#members.delete(key);
    return wasMember;
  }

  /** The programs in a group on an HCA. */
  of(hcaIndex: number, mgid: string): Iterable<Owner> {
    return this.#members.get(keyOf(hcaIndex, mgid)) ?? [];
  }

  /** A program leaves all groups. */
  releaseAll(owner: Owner): void {
    for (const [key, members] of this.#members) {
      members.delete(owner);
      if (members.size === 0) this.#members.delete(key);
    }
  }
}

function keyOf(hcaIndex: number, mgid: string): string {
  return `${hcaIndex}/${mgid}`;
}

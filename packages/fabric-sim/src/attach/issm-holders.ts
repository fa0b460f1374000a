/** Told when a port's IsSM bit is to be set or cleared. */
export type IssmSetter = (hcaIndex: number, portNumber: number, isOn: boolean) => void;

/** Who holds which port's issm file open. As in the kernel, one at a time may. */
export class IssmHolders<Owner> {
  private readonly holders = new Map<
    string,
    { readonly hcaIndex: number; readonly portNumber: number; readonly owner: Owner }
  >();

  constructor(private readonly setIsSm: IssmSetter) {}

  /** @returns false if the file is taken. */
  hold(hcaIndex: number, portNumber: number, owner: Owner): boolean {
    const key = `${hcaIndex}/${portNumber}`;
    if (this.holders.has(key)) return false;
    this.holders.set(key, { hcaIndex, portNumber, owner });
    this.setIsSm(hcaIndex, portNumber, true);
    return true;
  }

  /** @returns false if `owner` does not hold it. */
  release(hcaIndex: number, portNumber: number, owner: Owner): boolean {
    const key = `${hcaIndex}/${portNumber}`;
    if (this.holders.get(key)?.owner !== owner) return false;
    this.holders.delete(key);
    this.setIsSm(hcaIndex, portNumber, false);
    return true;
  }

  /** Gives back all that `owner` holds. */
  releaseAll(owner: Owner): void {
    for (const hold of [...this.holders.values()]) {
      if (hold.owner === owner) this.release(hold.hcaIndex, hold.portNumber, owner);
    }
  }
}

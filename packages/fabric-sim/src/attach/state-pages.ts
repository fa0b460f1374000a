import { join } from "node:path";
import type { AttachedHca } from "./attach-host.js";
import { StatePageWriter } from "./state-page.js";

/** The state pages of a fabric. A page is made when a program first attaches to its HCA, since each holds a descriptor. */
export class StatePages {
  private readonly writers = new Map<number, StatePageWriter>();

  constructor(private readonly directory: string) {}

  /** Name of an HCA's page inside the fabric's directory. Throws the file system's error if it cannot be made. */
  nameOf(hca: AttachedHca): string {
    const name = `state-${hca.index}`;
    if (!this.writers.has(hca.index)) {
      this.writers.set(hca.index, new StatePageWriter(join(this.directory, name), hca));
    }
    return name;
  }

  /** Publishes an HCA's present state to the programs that map its page. */
  update(hca: AttachedHca): void {
    this.writers.get(hca.index)?.update();
  }

  /** Removes all pages. */
  close(): void {
    for (const writer of this.writers.values()) writer.close();
    this.writers.clear();
  }
}

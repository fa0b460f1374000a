import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AttachServer } from "../../src/attach/attach-server.js";
import { systemServices } from "../../src/fabric/services.js";
import type { LinkFault } from "../../src/faults/wire-faults.js";
import { Simulation } from "../../src/process/simulation.js";
import { twoLevel } from "../../src/topology/generate.js";
import { Program } from "./programs.js";

/** A fault with these members, and nothing else wrong. */
export function fault(part: Partial<LinkFault>): LinkFault {
  return { lossPercent: 0, delayMs: 0, jitterMs: 0, duplicatePercent: 0, reorderPercent: 0, ...part };
}

/** What a program may ask of whoever runs the fabric, by the words it uses; the program goes on when that is done. */
export type Services = Readonly<Record<string, () => Promise<void> | void>>;

/** One program of `verbs-wire` on a node. */
export interface Place {
  readonly role: "a" | "b";
  readonly node: string;
}

/** Four hosts on a leaf, four on another, over one spine, and programs on them. */
export class WireFabric {
  private constructor(
    readonly simulation: Simulation,
    private readonly directory: string,
    private readonly server: AttachServer,
  ) {}

  static async start(): Promise<WireFabric> {
    const directory = mkdtempSync(join(tmpdir(), "wire-"));
    const simulation = new Simulation(twoLevel({ hosts: 8 }), systemServices(7));
    return new WireFabric(simulation, directory, await AttachServer.listen({ host: simulation.host, directory }));
  }

  async close(): Promise<void> {
    await this.server.close();
    this.simulation.close();
    rmSync(this.directory, { recursive: true });
  }

  /** Runs a scenario to its end; gives what each program said that was meant for nobody else. */
  run(scenario: string, places: readonly Place[], services: Services = {}): Promise<string[][]> {
    const { directory } = this;
    const programs = places.map(({ role, node }) => new Program("verbs-wire", [scenario, role], { directory, node }));
    const follow = async (own: Program) => {
      const said: string[] = [];
      for (;;) {
        const line = await own.line();
        if (line === "ok" || line.startsWith("ended")) {
          said.push(line, ...(await own.rest()));
          return said;
        }
        if (line.startsWith("> ")) {
          for (const other of programs) if (other !== own) other.say(line.slice(2));
        } else if (line.startsWith("! ")) {
          const service = services[line.slice(2)];
          if (service === undefined) throw new Error(`${scenario} asks: ${line}`);
          await service();
          own.say("done");
        } else said.push(line);
      }
    };
    return Promise.all(programs.map(follow));
  }
}

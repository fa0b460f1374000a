import type { ControlRequest, FabricStatus, SimControlClient } from "@verbena/fabric-sim";
import { draw } from "./settings.js";

/** What may be broken: hosts whose links, LIDs and packets are anybody's, and the links between switches. */
export interface Targets {
  readonly hosts: readonly string[];
  readonly spines: readonly string[];
  /** One end of each link between switches. */
  readonly trunks: readonly string[];
}

/** Everything but the manager's host. */
export function targetsOf({ nodes, sm }: FabricStatus): Targets {
  const switches = new Set(nodes.filter(({ kind }) => kind === "switch").map(({ id }) => id));
  const isSwitch = (end: string | undefined): boolean => end !== undefined && switches.has(end.replace(/\[\d+\]$/, ""));
  const hosts = nodes.filter(({ kind, id }) => kind === "ca" && !sm.end.startsWith(`${id}[`)).map(({ id }) => id);
  const isSpine = ({ id, ports }: FabricStatus["nodes"][number]): boolean =>
    switches.has(id) && ports.every(({ peer }) => isSwitch(peer));
  const spines = nodes.filter(isSpine);
  return {
    hosts,
    spines: spines.map(({ id }) => id),
    trunks: spines.flatMap(({ ports }) => ports.map(({ end }) => end)),
  };
}

/** Breaks things by lot, and mends what does not mend itself after a while. Its requests are under way until {@link Faults.settled}. */
export class Faults {
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #removed = new Set<string>();
  count = 0;

  constructor(
    private readonly sim: SimControlClient,
    private readonly targets: Targets,
    private readonly random: () => number,
    private readonly fail: (error: unknown) => void,
  ) {}

  /** One fault. `builtin`: also those that only the built-in SM and SA have. */
  strike(builtin: boolean): void {
    this.count += 1;
    const { random, targets } = this;
    const pick = (names: readonly string[]): string => names[Math.floor(random() * names.length)] ?? "";
    const ms = (least: number, most: number): number => Math.round(least + random() * (most - least));
    const host = pick(targets.hosts);
    const common: readonly (readonly [number, () => ControlRequest])[] = [
      [6, () => ({ op: "link", action: "flap", end: host, downMs: ms(5, 300), times: ms(1, 2) })],
      [4, () => ({ op: "link", action: "flap", end: pick(targets.trunks), downMs: ms(5, 300) })],
      [1, () => ({ op: "node", action: "reboot", node: pick(targets.spines), downMs: ms(20, 300) })],
      [2, () => ({ op: "node", action: "remove", node: host })],
      [4, () => ({ op: "fault", action: "set", end: host, ...this.#wireFault() })],
      [3, () => ({ op: "fault", action: "clear" })],
      [2, () => ({ op: "node", action: "describe", node: host, text: `node${host.slice(1)} HCA-${ms(1, 9)}` })],
    ];
    const ours: readonly (readonly [number, () => ControlRequest])[] = [
      [6, () => ({ op: "lid", action: "change", end: host })],
      [1, () => ({ op: "sm", action: "reregister" })],
      [1, () => ({ op: "sm", action: "sweep" })],
      [4, () => ({ op: "sa", mode: draw(random, SA_FAULTS), durationMs: ms(20, 250), delayMs: ms(10, 400) })],
    ];
    const request = draw(random, builtin ? [...common, ...ours] : common)();
    if (request.op === "node" && request.action === "remove") this.#remove(request.node, ms(20, 400));
    else this.#send(request);
  }

  /** All requests have been carried out. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #remove(node: string, awayMs: number): void {
    if (this.#removed.has(node)) return;
    this.#removed.add(node);
    this.#track(
      this.sim
        .request({ op: "node", action: "remove", node })
        .then(() => new Promise((settle) => setTimeout(settle, awayMs)))
        .then(() => this.sim.request({ op: "node", action: "restore", node }))
        .then(() => this.#removed.delete(node)),
    );
  }

  #send(request: ControlRequest): void {
    this.#track(this.sim.request(request));
  }

  #track(work: Promise<unknown>): void {
    const tracked = work
      .catch((error: unknown) => {
        // A host that is away has no LID to change and no cable to flap.
        if (this.#removed.size === 0) this.fail(error);
      })
      .finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  #wireFault(): {
    lossPercent?: number;
    delayMs?: number;
    jitterMs?: number;
    duplicatePercent?: number;
    reorderPercent?: number;
  } {
    const part = (most: number): number => Math.round(this.random() * most);
    return draw(this.random, [
      [1, { lossPercent: part(30) }],
      [1, { delayMs: part(20), jitterMs: part(20) }],
      [1, { duplicatePercent: part(50) }],
      [1, { reorderPercent: part(50) }],
    ]);
  }
}

const SA_FAULTS = (["silent", "busy", "slow", "twice", "unordered", "wrong-tid"] as const).map(
  (mode) => [1, mode] as const,
);

import { type ControlRequest, SimControlClient } from "@verbena/fabric-sim";
import { Away } from "./away.js";
import type { Targets } from "./fabric-targets.js";
import { draw } from "./settings.js";

export interface FaultsOptions {
  /** Directory of the fabric. */
  readonly dir: string;
  readonly sim: SimControlClient;
  readonly targets: Targets;
  readonly random: () => number;
  readonly onFailure: (error: unknown) => void;
}

type Drawn = readonly [weight: number, strike: () => void];

/** Breaks things by lot, and mends what does not mend itself after a while. Its requests are under way until {@link Faults.settled}. */
export class Faults {
  readonly #options: FaultsOptions;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #away = new Away();
  /** Alias to the host that has it. */
  readonly #aliases = new Map<string, string>();
  /** Index of the host that has the built-in manager: the first one at the start. */
  #manager = 0;
  count = 0;

  constructor(options: FaultsOptions) {
    this.#options = options;
  }

  /** One fault. `builtin`: also those that only the built-in SM and SA have. */
  strike(builtin: boolean): void {
    this.count += 1;
    draw(this.#options.random, builtin ? [...this.#common(), ...this.#builtin()] : this.#common())();
  }

  /** Waits for what mends itself, and mends the rest. */
  async mend(builtin: boolean): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    this.#send({ op: "fault", action: "clear" });
    if (builtin) {
      this.#send({ op: "sa", mode: "normal" });
      for (const end of this.#options.targets.hosts) this.#send({ op: "pkey", end, index: 0, pkey: "0xffff" });
      this.#send({ op: "sm", action: "sweep" });
    }
    await Promise.all(this.#underWay);
  }

  #common(): readonly Drawn[] {
    const { hosts, trunks, spines } = this.#options.targets;
    const host = this.#pick(hosts);
    const ms = this.#ms.bind(this);
    return [
      [6, () => this.#cutOff(host, { op: "link", action: "flap", end: host, downMs: ms(5, 300), times: ms(1, 2) })],
      [4, () => this.#long({ op: "link", action: "flap", end: this.#pick(trunks), downMs: ms(5, 300) }, [])],
      [1, () => this.#long({ op: "node", action: "reboot", node: this.#pick(spines), downMs: ms(20, 300) }, [])],
      [2, () => this.#remove(host, ms(20, 400))],
      [4, () => this.#send({ op: "fault", action: "set", end: host, ...this.#wireFault() })],
      [3, () => this.#send({ op: "fault", action: "clear" })],
      [
        2,
        () => this.#send({ op: "node", action: "describe", node: host, text: `node${host.slice(1)} HCA-${ms(1, 9)}` }),
      ],
    ];
  }

  #builtin(): readonly Drawn[] {
    const { targets, random } = this.#options;
    const host = this.#pick(targets.hosts);
    const to = this.#pick(targets.hosts.filter((other) => other !== host));
    const ms = this.#ms.bind(this);
    return [
      [6, () => this.#send({ op: "lid", action: "change", end: host }, [host])],
      [0.5, () => this.#send({ op: "lid", action: "change", end: this.#pick(targets.managers) })],
      [0.5, () => this.#handOver()],
      [1, () => this.#send({ op: "sm", action: "reregister" })],
      [1, () => this.#send({ op: "sm", action: "sweep" })],
      [4, () => this.#send({ op: "sa", mode: draw(random, SA_FAULTS), durationMs: ms(20, 250), delayMs: ms(10, 400) })],
      // A member that is limited has no path to another one.
      [2, () => this.#send({ op: "pkey", end: host, index: 0, pkey: draw(random, PKEYS) })],
      [1, () => this.#send({ op: "pkey", end: host, index: 1, ...(random() < 0.5 ? {} : { pkey: "0x8007" }) })],
      [2, () => this.#send({ op: "route", action: "cut", from: host, to }, [host, to])],
      [3, () => this.#moveAlias(this.#pick(targets.aliases), host)],
      [3, () => this.#moveAddress()],
    ];
  }

  /** To the next of the managers. */
  #handOver(): void {
    const { managers } = this.#options.targets;
    this.#manager = (this.#manager + 1) % managers.length;
    this.#send({ op: "sm", action: "hand-over", end: managers[this.#manager] ?? "" });
  }

  #moveAddress(): void {
    const { ips, hosts } = this.#options.targets.moving;
    const address = this.#pick(ips);
    this.#send({ op: "addr", action: "move", address, node: this.#pick(hosts) });
  }

  /** It leaves the host that has it; else it comes to `host`. */
  #moveAlias(alias: string, host: string): void {
    const index = 1 + this.#options.targets.aliases.indexOf(alias);
    const before = this.#aliases.get(alias);
    if (before !== undefined) {
      this.#aliases.delete(alias);
      this.#send({ op: "gid", end: before, index });
    } else {
      this.#aliases.set(alias, host);
      this.#send({ op: "gid", end: host, index, guid: alias });
    }
  }

  #remove(node: string, awayMs: number): void {
    if (this.#away.isAway(node)) return;
    const { sim } = this.#options;
    const absence = sim
      .request({ op: "node", action: "remove", node })
      .then(() => new Promise((settle) => setTimeout(settle, awayMs)))
      .then(() => sim.request({ op: "node", action: "restore", node }));
    this.#track(this.#away.during(node, absence), []);
  }

  #cutOff(node: string, request: ControlRequest): void {
    this.#track(this.#away.during(node, this.#alone(request)), [node]);
  }

  #long(request: ControlRequest, ends: readonly string[]): void {
    this.#track(this.#alone(request), ends);
  }

  /** What is answered when it is over has a connection of its own: one answers in order. */
  async #alone(request: ControlRequest): Promise<void> {
    const control = await SimControlClient.connect(this.#options.dir);
    try {
      await control.request(request);
    } finally {
      await control.close();
    }
  }

  /** `ends`: hosts without which the request cannot be carried out. */
  #send(request: ControlRequest, ends: readonly string[] = []): void {
    this.#track(this.#options.sim.request(request), ends);
  }

  #track(work: Promise<unknown>, ends: readonly string[]): void {
    const wereAway = this.#away.watch(ends);
    const tracked = work
      .catch((error: unknown) => {
        // A host that is away has no way to cut.
        if (!wereAway()) this.#options.onFailure(error);
      })
      .finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  #pick(names: readonly string[]): string {
    return names[Math.floor(this.#options.random() * names.length)] ?? "";
  }

  #ms(least: number, most: number): number {
    return Math.round(least + this.#options.random() * (most - least));
  }

  #wireFault(): {
    lossPercent?: number;
    delayMs?: number;
    jitterMs?: number;
    duplicatePercent?: number;
    reorderPercent?: number;
  } {
    const part = (most: number): number => Math.round(this.#options.random() * most);
    return draw(this.#options.random, [
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
/** Full and limited membership of the default partition. Most are full: what has no path has little to say. */
const PKEYS = [
  [3, "0xffff"],
  [1, "0x7fff"],
] as const;

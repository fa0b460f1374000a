import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createResolver, type Resolver, type ResolverOptions } from "@verbena/core";
import {
  type FabricOptions,
  type FabricStatus,
  libfabricsimPath,
  type RunningFabric,
  SimControlClient,
  startFabricThread,
} from "@verbena/fabric-sim";
import { Gid } from "@verbena/ib";
import saProvider from "@verbena/provider-sa";

/** How a host of the fleet resolves; the rest is as for any embedded resolver. */
export interface FleetMember extends Omit<ResolverOptions, "fabric" | "native" | "providers"> {
  /** Options of provider-sa. */
  readonly prefetch?: "port" | "none";
  readonly prefetchTtlMs?: number;
  readonly nodeTableTtlMs?: number;
  readonly registry?: boolean;
  readonly registryTtlMs?: number;
  readonly registryLeaseMs?: number;
}

/** A simulated fabric in a thread of its own, and engines on its hosts, all in this process. */
export class Fleet implements AsyncDisposable {
  readonly #resolvers: Resolver[] = [];
  #libraries = 0;

  private constructor(
    /** Folder of the fleet's files. */
    readonly folder: string,
    readonly fabric: RunningFabric,
    readonly sim: SimControlClient,
  ) {}

  static async start(options: Omit<FabricOptions, "dir">): Promise<Fleet> {
    const folder = mkdtempSync(join(tmpdir(), "fleet-"));
    const fabric = await startFabricThread({ ...options, dir: join(folder, "fabric") });
    return new Fleet(folder, fabric, await SimControlClient.connect(fabric.dir));
  }

  get dir(): string {
    return this.fabric.dir;
  }

  status(): Promise<FabricStatus> {
    return this.sim.request({ op: "status" });
  }

  /** What the fabric says of the ports of its hosts now: node to LID and GID. */
  async hosts(): Promise<ReadonlyMap<string, { readonly lid: number; readonly gid: string }>> {
    const { nodes } = await this.status();
    return new Map(
      nodes.flatMap(({ id, kind, ports: [port] }) =>
        kind === "switch" || port === undefined
          ? []
          : [[id, { lid: port.lid, gid: Gid.format(Gid.of(Gid.linkLocalPrefix, BigInt(port.guid))) }] as const],
      ),
    );
  }

  /** A resolver on a host. A process joins a fabric as one node for life, but a copy of the library counts as another process. */
  async resolver(node: string, member: FleetMember = {}): Promise<Resolver> {
    const { prefetch, prefetchTtlMs, nodeTableTtlMs, registry, registryTtlMs, registryLeaseMs, ...options } = member;
    const own = { prefetch, prefetchTtlMs, nodeTableTtlMs, registry, registryTtlMs, registryLeaseMs };
    const library = join(this.folder, `libfabricsim-${this.#libraries++}.so`);
    copyFileSync(libfabricsimPath(), library);
    const resolver = await createResolver({
      ...options,
      fabric: { dir: this.dir, node, library },
      providers: [{ definition: saProvider, options: own }],
    });
    this.#resolvers.push(resolver);
    return resolver;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#resolvers.splice(0).map((resolver) => resolver.close()));
    await this.sim.close();
    await this.fabric.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

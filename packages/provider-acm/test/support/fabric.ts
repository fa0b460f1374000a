import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createResolver, type Resolver, type ResolverOptions } from "@verbena/core";
import type { ProviderDefinition } from "@verbena/core/sdk";
import {
  type FabricOptions,
  libfabricsimPath,
  type RunningFabric,
  SimControlClient,
  startFabricThread,
} from "@verbena/fabric-sim";
import { Gid } from "@verbena/ib";
import saProvider from "@verbena/provider-sa";
import acmProvider from "../../src/index.js";

/** How a host of the test fabric resolves. */
export interface HostOptions extends Omit<ResolverOptions, "fabric" | "native" | "providers"> {
  /** Options of the provider. */
  readonly acm?: Readonly<Record<string, unknown>>;
  /** Whether provider-sa is there too; default true. */
  readonly withSa?: boolean;
  /** The provider, if it is not to be as it is loaded by name. */
  readonly definition?: ProviderDefinition;
}

/** A simulated fabric in a thread, and resolvers with the provider on its hosts, all in this process. */
export class TestFabric implements AsyncDisposable {
  readonly #resolvers: Resolver[] = [];
  #libraries = 0;

  private constructor(
    readonly folder: string,
    readonly fabric: RunningFabric,
    readonly sim: SimControlClient,
  ) {}

  /** `addresses`: lines `NODE[PORT] IP/PREFIX [PKEY]`. */
  static async start({
    addresses = [],
    ...options
  }: Omit<FabricOptions, "dir" | "addressesFile"> & { readonly addresses?: readonly string[] }): Promise<TestFabric> {
    const folder = mkdtempSync(join(tmpdir(), "acm-"));
    const addressesFile = join(folder, "addresses");
    writeFileSync(addressesFile, addresses.map((line) => `${line}\n`).join(""));
    const fabric = await startFabricThread({ ...options, addressesFile, dir: join(folder, "fabric") });
    return new TestFabric(folder, fabric, await SimControlClient.connect(fabric.dir));
  }

  /** LID of a host's first port now. */
  async lid(node: string): Promise<number> {
    const { nodes } = await this.sim.request({ op: "status" });
    return nodes.find(({ id }) => id === node)?.ports[0]?.lid ?? 0;
  }

  /** GID of a host's first port. */
  async gid(node: string): Promise<Gid> {
    const { nodes } = await this.sim.request({ op: "status" });
    const guid = nodes.find(({ id }) => id === node)?.ports[0]?.guid ?? 0;
    return Gid.of(Gid.linkLocalPrefix, BigInt(guid));
  }

  /** A resolver on a host, named after it. A process joins a fabric as one node, but a copy of the library counts as another process. */
  async host(node: string, member: HostOptions = {}): Promise<Resolver> {
    const { acm = {}, withSa = true, definition = acmProvider, config, ...options } = member;
    const library = join(this.folder, `libfabricsim-${String(this.#libraries++)}.so`);
    copyFileSync(libfabricsimPath(), library);
    const names = { addresses: { names: [{ name: node.toLowerCase(), device: "sim0" }] } };
    const resolver = await createResolver({
      ...options,
      config: { ...names, ...(typeof config === "object" ? config : {}) },
      fabric: { dir: this.fabric.dir, node, library },
      providers: [{ definition, options: acm }, ...(withSa ? [{ definition: saProvider }] : [])],
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

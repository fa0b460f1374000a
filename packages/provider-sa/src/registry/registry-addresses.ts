import type { AddressAnswer, AddressProvider, Destination, ResolveContext } from "@verbena/core/sdk";
import type { RegistryLookup } from "./registry-lookup.js";

/**
 * Names and IPs from the registry, names also from the node descriptions: what a host has said of itself goes before what its description
 * lets one guess. A guess lives no longer than a registration, since it may be followed by one.
 */
export class RegistryAddresses implements AddressProvider {
  constructor(
    private readonly registry: RegistryLookup,
    private readonly others: AddressProvider,
  ) {}

  async resolveAddress(to: Destination, context: ResolveContext): Promise<AddressAnswer | undefined> {
    if (to.kind !== "name" && to.kind !== "ip") return this.others.resolveAddress(to, context);
    const found = this.registry.find(to, context);
    if (to.kind === "ip") return found;
    const registered = await found.catch(() => undefined);
    if (registered !== undefined) return registered;
    const guess = await this.others.resolveAddress(to, context);
    // With no guess either, a failure of the registry is what there is to tell.
    return guess === undefined ? found : { ...guess, ttlMs: Math.min(guess.ttlMs ?? Infinity, this.registry.ttlMs) };
  }
}

import { VerbenaError } from "@verbena/ib";
import type { DependencyContainer, InjectionToken } from "tsyringe";
import { coreError } from "../errors.js";
import type { AnyProvider, ProviderClass, ProviderDefinition, ProviderFactory } from "../sdk/define-provider.js";
import { type ProviderHost, tokens } from "../sdk/tokens.js";

/** Where tsyringe's `@inject` leaves the tokens of a constructor. Read instead of resolving the class: it may be another copy's. */
const INJECTION_TOKENS = "injectionTokens";

/** Builds the provider in its own container: a class by its tokens, a factory with the same services as one object. */
export async function buildProvider(
  definition: ProviderDefinition,
  container: DependencyContainer,
): Promise<AnyProvider> {
  const { manifest, provider } = definition;
  try {
    return isClass(provider)
      ? new provider(...constructorTokens(provider, manifest.name).map((token) => container.resolve<unknown>(token)))
      : await provider(hostObject(container));
  } catch (cause) {
    if (VerbenaError.is(cause)) throw cause;
    throw coreError("VERBENA_PROVIDER_START", { details: { name: manifest.name, reason: String(cause) }, cause });
  }
}

function isClass(provider: ProviderClass | ProviderFactory): provider is ProviderClass {
  return /^class\b/.test(Function.prototype.toString.call(provider));
}

function constructorTokens(provider: ProviderClass, name: string): InjectionToken[] {
  const found = (Reflect.getOwnMetadata(INJECTION_TOKENS, provider) ?? {}) as Readonly<Record<number, unknown>>;
  return Array.from({ length: provider.length }, (_, index) => {
    const descriptor = found[index];
    if (descriptor === undefined) {
      throw coreError("VERBENA_PROVIDER_START", {
        details: { name, reason: `parameter ${String(index + 1)} of the constructor names no token` },
        hint: "write @inject(tokens.…) before every constructor parameter",
      });
    }
    return descriptorToken(descriptor);
  });
}

/** tsyringe stores either the bare token or, for its variants, an object that holds it. */
function descriptorToken(descriptor: unknown): InjectionToken {
  return typeof descriptor === "object" && descriptor !== null && "token" in descriptor
    ? (descriptor.token as InjectionToken)
    : (descriptor as InjectionToken);
}

function hostObject(container: DependencyContainer): ProviderHost {
  return {
    logger: container.resolve(tokens.logger),
    clock: container.resolve(tokens.clock),
    random: container.resolve(tokens.random),
    metrics: container.resolve(tokens.metrics),
    options: container.resolve(tokens.options),
    native: container.resolve(tokens.native),
  };
}

import {
  defineProvider,
  type EndpointSession,
  type Port,
  type PortServices,
  type PortSession,
  type ProviderDefinition,
} from "@verbena/core/sdk";
import { AcmProvider } from "../../src/acm-provider.js";
import acmProvider, { type AcmProviderOptions } from "../../src/index.js";
import { type AcmCounts, zeroCounts } from "../../src/protocol/counts.js";

/** The provider, and what the endpoints of all that are made of it have counted together. */
export class CountedProvider {
  readonly #sessions: EndpointSession[] = [];

  readonly definition: ProviderDefinition = defineProvider({
    manifest: acmProvider.manifest,
    provider: ({ clock, random, metrics, options }) => {
      const provider = new AcmProvider(clock, random, metrics, options as AcmProviderOptions);
      return {
        openPort: async (port: Port, services: PortServices) => this.#watch(await provider.openPort(port, services)),
        [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
      };
    },
  });

  counts(): Readonly<AcmCounts> {
    const sum = zeroCounts();
    for (const session of this.#sessions) {
      const counters = session.counters();
      for (const name of Object.keys(sum) as (keyof AcmCounts)[]) sum[name] += Number(counters[name] ?? 0);
    }
    return sum;
  }

  #watch(port: PortSession): PortSession {
    return {
      openEndpoint: async (endpoint, services) => {
        const session = await port.openEndpoint(endpoint, services);
        this.#sessions.push(session);
        return session;
      },
      onEvent: (event) => port.onEvent?.(event),
      [Symbol.asyncDispose]: () => port[Symbol.asyncDispose](),
    };
  }
}

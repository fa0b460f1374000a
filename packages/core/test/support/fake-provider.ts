import { emptyPathRecord, Gid, Lid, Mtu, Rate } from "@verbena/ib";
import { defineProvider, type ProviderDefinition } from "../../src/sdk/define-provider.js";
import type { Destination } from "../../src/sdk/destination.js";
import type { EndpointSession, ResolutionProvider } from "../../src/sdk/provider.js";

/** What a test sees and steers of {@link fakeProvider}. */
export interface FakeProviderControl {
  readonly definition: ProviderDefinition;
  /** Name to GID; what is not here is unknown. */
  readonly names: Map<string, Gid>;
  /** Destinations asked for, in order. */
  readonly asked: string[];
  /** Holds address questions back while set. */
  gate: Promise<void> | undefined;
  /** Providers made and disposed so far. */
  made: number;
  disposed: number;
}

/** A provider that knows names by a table and makes a path to LID 7 for everything. Roles: address and route. */
export function fakeProvider(name = "table"): FakeProviderControl {
  const control: FakeProviderControl = {
    names: new Map(),
    asked: [],
    gate: undefined,
    made: 0,
    disposed: 0,
    definition: defineProvider({
      manifest: { name, version: "1.0.0", sdk: "^1.0", roles: ["address", "route"] },
      provider: () => {
        control.made += 1;
        return provider(control);
      },
    }),
  };
  return control;
}

const done = (): Promise<void> => Promise.resolve();

function provider(control: FakeProviderControl): ResolutionProvider {
  const session: EndpointSession = {
    state: "ready",
    onState: () => () => undefined,
    address: {
      resolveAddress: async (to: Destination) => {
        control.asked.push(to.text);
        await control.gate;
        const gid = to.kind === "name" ? control.names.get(to.name) : undefined;
        return gid === undefined ? undefined : { gid };
      },
    },
    route: {
      resolveRoute: ({ sgid, dgid, pkey, endpoint }) =>
        Promise.resolve({
          paths: [
            emptyPathRecord({
              sgid,
              dgid: dgid ?? Gid.zero,
              dlid: Lid.from(7),
              slid: endpoint.port.lid,
              pkey,
              reversible: true,
              mtu: Mtu.from(4),
              rate: Rate.from(3),
            }),
          ],
        }),
    },
    addAddress: done,
    removeAddress: done,
    counters: () => ({}),
    [Symbol.asyncDispose]: done,
  };
  return {
    openPort: () => Promise.resolve({ openEndpoint: () => Promise.resolve(session), [Symbol.asyncDispose]: done }),
    [Symbol.asyncDispose]: () => {
      control.disposed += 1;
      return done();
    },
  };
}

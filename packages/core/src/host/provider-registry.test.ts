import type { NativeServices } from "@verbena/native";
import { defineProvider } from "../sdk/define-provider.js";
import { inject, injectable, type Logger, SDK_VERSION, tokens } from "../sdk/index.js";
import type { StandardSchema } from "../sdk/standard-schema.js";
import { composeHost } from "./composition.js";
import { silentLogger } from "./default-services.js";
import { ProviderRegistry, type ProviderRequest } from "./provider-registry.js";

const native = { close: () => Promise.resolve() } as unknown as NativeServices;

function host(logger: Logger = silentLogger): ReturnType<typeof composeHost> {
  return composeHost({ native, logger });
}

function request(definition: unknown, options?: unknown): ProviderRequest {
  return { from: { definition }, options, where: "verbena.yaml:3" };
}

function load(...requests: ProviderRequest[]): Promise<ProviderRegistry> {
  return ProviderRegistry.load(host(), requests, []);
}

const manifest = { name: "static", version: "1.2.3", sdk: "^1.0", roles: ["address"] } as const;

/** A provider that does nothing but tell the log of its end. */
function quietProvider(log: string[], name: string) {
  return () => ({
    openPort: () => Promise.reject(new Error("not used")),
    [Symbol.asyncDispose]: () => {
      log.push(name);
      return Promise.resolve();
    },
  });
}

const evenNumber: StandardSchema<{ port: number }> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => {
      const { port } = value as { port?: unknown };
      return typeof port === "number" && port % 2 === 0
        ? { value: { port } }
        : { issues: [{ message: "must be even", path: ["port"] }] };
    },
  },
};

describe("ProviderRegistry", () => {
  it("builds a class by the tokens its constructor names, with its own options and a logger labelled with its name", async () => {
    const children: unknown[] = [];
    const logger: Logger = {
      ...silentLogger,
      child: (fields) => {
        children.push(fields);
        return silentLogger;
      },
    };
    @injectable()
    class Static {
      readonly transports = [];
      constructor(
        @inject(tokens.options) readonly options: unknown,
        @inject(tokens.native) readonly services: NativeServices,
        @inject(tokens.logger) readonly logger: Logger,
      ) {}
      openPort = () => Promise.reject(new Error("not used"));
      [Symbol.asyncDispose] = () => Promise.resolve();
    }
    const definition = defineProvider({ manifest: { ...manifest, options: evenNumber }, provider: Static });

    const registry = await ProviderRegistry.load(host(logger), [request(definition, { port: 4 })], []);

    const built = registry.loaded[0]?.provider as unknown as Static;
    expect(built.options).toEqual({ port: 4 });
    expect(built.services).toBe(native);
    expect(children).toEqual([{ provider: "static" }]);
  });

  it("hands a plain factory the same services as one object", async () => {
    let seen: unknown;
    const definition = defineProvider({
      manifest,
      provider: (services) => {
        seen = Object.keys(services).sort();
        return quietProvider([], "static")();
      },
    });
    await load(request(definition));
    expect(seen).toEqual(["clock", "logger", "metrics", "native", "options", "random"]);
  });

  it("names the parameter that has no token", async () => {
    class Untold {
      openPort = () => Promise.reject(new Error("not used"));
      [Symbol.asyncDispose] = () => Promise.resolve();
      constructor(readonly what: unknown) {}
    }
    await expect(load(request(defineProvider({ manifest, provider: Untold })))).rejects.toMatchObject({
      code: "VERBENA_PROVIDER_START",
      message: expect.stringContaining("parameter 1") as unknown,
    });
  });

  it("names both versions when the SDK range does not fit", async () => {
    const definition = defineProvider({ manifest: { ...manifest, sdk: "^2.0" }, provider: quietProvider([], "x") });
    await expect(load(request(definition))).rejects.toMatchObject({
      code: "VERBENA_PROVIDER_SDK_RANGE",
      message: `provider "static" 1.2.3 (verbena.yaml:3) works with SDK ^2.0, this host offers SDK ${SDK_VERSION}`,
      hint: "install a newer Verbena, or an older static",
    });
  });

  it.each([
    ["no definition", {}, "VERBENA_PROVIDER_NOT_A_PROVIDER"],
    ["nothing at all", undefined, "VERBENA_PROVIDER_NOT_A_PROVIDER"],
    [
      "a bad name",
      defineProvider({ manifest: { ...manifest, name: "Static!" }, provider: quietProvider([], "") }),
      "VERBENA_PROVIDER_MANIFEST",
    ],
    [
      "a bad version",
      defineProvider({ manifest: { ...manifest, version: "one" }, provider: quietProvider([], "") }),
      "VERBENA_PROVIDER_MANIFEST",
    ],
    [
      "no role",
      defineProvider({ manifest: { ...manifest, roles: [] }, provider: quietProvider([], "") }),
      "VERBENA_PROVIDER_MANIFEST",
    ],
    [
      "a role without its method",
      defineProvider({ manifest: { ...manifest, roles: ["transport"] }, provider: quietProvider([], "") }),
      "VERBENA_PROVIDER_MANIFEST",
    ],
  ])("refuses %s", async (_what, definition, code) => {
    await expect(load(request(definition))).rejects.toMatchObject({ code });
  });

  it("refuses options the schema refuses, and any options where there is no schema", async () => {
    const strict = defineProvider({ manifest: { ...manifest, options: evenNumber }, provider: quietProvider([], "x") });
    await expect(load(request(strict, { port: 3 }))).rejects.toMatchObject({
      code: "VERBENA_PROVIDER_OPTIONS",
      message: 'verbena.yaml:3: options of provider "static": port: must be even',
    });
    const none = defineProvider({ manifest, provider: quietProvider([], "x") });
    await expect(load(request(none, { port: 3 }))).rejects.toMatchObject({ code: "VERBENA_PROVIDER_OPTIONS" });
  });

  it("refuses a second provider of the same name", async () => {
    const definition = defineProvider({ manifest, provider: quietProvider([], "x") });
    await expect(load(request(definition), request(definition))).rejects.toMatchObject({
      code: "VERBENA_PROVIDER_DUPLICATE",
    });
  });

  it("disposes in reverse order, once, and goes on when one fails", async () => {
    const log: string[] = [];
    const failing = () => ({
      openPort: () => Promise.reject(new Error("not used")),
      [Symbol.asyncDispose]: () => Promise.reject(new Error("will not end")),
    });
    const registry = await load(
      request(defineProvider({ manifest: { ...manifest, name: "first" }, provider: quietProvider(log, "first") })),
      request(defineProvider({ manifest: { ...manifest, name: "second" }, provider: failing })),
      request(defineProvider({ manifest: { ...manifest, name: "third" }, provider: quietProvider(log, "third") })),
    );
    await Promise.all([registry.close(), registry.close()]);
    expect(log).toEqual(["third", "first"]);
  });

  it("leaves nothing half-loaded: what was built is disposed when a later one fails", async () => {
    const log: string[] = [];
    const broken = defineProvider({
      manifest: { ...manifest, name: "broken" },
      provider: () => {
        throw new Error("no licence");
      },
    });
    const first = defineProvider({ manifest: { ...manifest, name: "first" }, provider: quietProvider(log, "first") });
    await expect(load(request(first), request(broken))).rejects.toMatchObject({ code: "VERBENA_PROVIDER_START" });
    expect(log).toEqual(["first"]);
  });
});

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Gid, PKey } from "@verbena/ib";
import { fakeHost } from "../../test/support/fake-host.js";
import { type FakeProviderControl, fakeProvider } from "../../test/support/fake-provider.js";
import type { FakeNative } from "../testing/fake-native.js";
import { createResolver } from "./resolver.js";

let native: FakeNative;
let table: FakeProviderControl;

beforeEach(() => {
  native = fakeHost();
  table = fakeProvider();
  table.names.set("node2", Gid.parse("fe80::10:3"));
});

describe("createResolver", () => {
  it("resolves texts and destinations with the providers handed in", async () => {
    await using resolver = await createResolver({ native, providers: [table.definition] });
    const answer = await resolver.resolve("Node2");
    expect(answer.paths[0]).toMatchObject({ dlid: 7, slid: 4, dgid: Gid.parse("fe80::10:3") });
    expect(answer.provenance).toMatchObject({ route: { provider: "table", from: "provider" } });
    const again = await resolver.resolve({ kind: "name", name: "node2", text: "node2" });
    expect(again.provenance).toMatchObject({ route: { from: "cache" } });
    expect(table.asked).toEqual(["Node2"]);
    expect(resolver.providers).toEqual(["table"]);
    expect(resolver.endpoints()[0]).toMatchObject({
      key: "fake0/1/0xffff",
      addresses: [hostname().split(".")[0], `${hostname().split(".")[0]}-1`],
    });
  });

  it("rejects texts that are no destination, and unknown names", async () => {
    await using resolver = await createResolver({ native, providers: [table.definition] });
    await expect(resolver.resolve("lid:0")).rejects.toMatchObject({ code: "VERBENA_RESOLVE_DESTINATION_SYNTAX" });
    await expect(resolver.resolve("node9")).rejects.toMatchObject({ code: "VERBENA_RESOLVE_NO_DATA" });
  });

  it("takes a source, a deadline and a signal", async () => {
    await using resolver = await createResolver({ native, providers: [table.definition] });
    await expect(resolver.resolve("node2", { source: "10.0.0.1" })).rejects.toMatchObject({
      code: "VERBENA_RESOLVE_NO_SOURCE",
    });
    table.gate = new Promise(() => undefined);
    await expect(resolver.resolve("node9", { deadlineMs: 10 })).rejects.toMatchObject({
      code: "VERBENA_RESOLVE_TIMEOUT",
    });
    const stop = new AbortController();
    const pending = resolver.resolve("node8", { signal: stop.signal });
    stop.abort();
    await expect(pending).rejects.toMatchObject({ code: "VERBENA_RESOLVE_ABORTED" });
  });

  it("tells changes, and ends them when it closes", async () => {
    const resolver = await createResolver({ native, providers: [table.definition] });
    const changes = resolver.changes();
    const next = changes.next();
    native.addresses.add({
      address: "192.0.2.1",
      prefixLength: 24,
      gid: Gid.parse("fe80::10:1"),
      pkey: PKey.DEFAULT,
    });
    expect((await next).value).toMatchObject({ type: "address", event: "added", address: "192.0.2.1" });
    expect(resolver.endpoints()[0]?.addresses).toContain("192.0.2.1");
    await Promise.all([resolver.close(), resolver.close()]);
    let last = await changes.next();
    while (last.done !== true) last = await changes.next();
    await expect(resolver.resolve("node2")).rejects.toMatchObject({ code: "VERBENA_RESOLVE_CLOSED" });
    expect(table.disposed).toBe(1);
  });

  it("takes a verbena.yaml by path, or its content", async () => {
    const folder = await mkdtemp(join(tmpdir(), "verbena-embed-"));
    try {
      await writeFile(join(folder, "hosts"), "192.0.2.9 fe80::10:9\n");
      await writeFile(join(folder, "verbena.yaml"), "files: { hosts: hosts }\nproviders: []\n");
      await using resolver = await createResolver({
        native,
        config: join(folder, "verbena.yaml"),
        providers: [{ definition: table.definition }],
      });
      const source = `name:${hostname().split(".")[0]}`;
      const { paths } = await resolver.resolve("192.0.2.9", { source });
      expect(paths[0]?.dgid).toBe(Gid.parse("fe80::10:9"));
      await expect(createResolver({ native, config: { sa: { retries: -1 } } })).rejects.toMatchObject({
        code: "VERBENA_CONFIG_INVALID",
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("leaves nothing behind when a provider cannot be loaded", async () => {
    await expect(createResolver({ native, providers: [table.definition, "./no/such/provider"] })).rejects.toMatchObject(
      {
        code: "VERBENA_PROVIDER_NOT_FOUND",
      },
    );
    expect(table.made).toBe(table.disposed);
  });
});

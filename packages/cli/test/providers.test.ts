/** Providers of others, loaded by the daemon by the name of their package. */
import { Cluster } from "./support/cluster.js";
import { Packages } from "./support/packages.js";
import { ask, run } from "./support/run.js";

const TIMEOUT_MS = 60_000;

const OLD_PROVIDER = `
import { defineProvider } from "@verbena/core/sdk";
export default defineProvider({
  manifest: { name: "future", version: "3.2.1", sdk: "^2.0", roles: ["route"] },
  provider: () => { throw new Error("must not be built"); },
});
`;

describe("providers by package name", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start({ hosts: 4 });
    const packages = new Packages(cluster.dir);
    packages.example("provider-static", "verbena-provider-static");
    packages.write("verbena-provider-future", OLD_PROVIDER);
  }, TIMEOUT_MS);
  afterAll(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);

  it(
    "the example provider answers from its file",
    async () => {
      const gid = cluster.gid("H4");
      const routes = cluster.write(
        "routes.json",
        JSON.stringify({
          addresses: { archive: gid, "192.0.2.4": gid },
          paths: [{ dgid: gid, dlid: 1234, sl: 3, mtu: 1024, rateGbps: 40 }],
        }),
      );
      const config = cluster.write(
        "static.yaml",
        `providers:\n  - package: verbena-provider-static\n    options: { file: ${routes} }\n`,
      );
      await using daemon = await cluster.serve("H1", ["--config", config]);
      for (const destination of ["archive", "192.0.2.4", "lid:1234", `gid:${gid}`]) {
        const { status, out } = await ask(["resolve", destination, "-s", "H1", "--json", "--socket", daemon.socket]);
        expect(status).toBe(0);
        expect(JSON.parse(out)).toMatchObject({
          paths: [{ dgid: gid, dlid: 1234, slid: cluster.lid("H1"), sl: 3, mtuBytes: 1024, rateGbps: 40 }],
          provenance: { route: { provider: "static" } },
        });
      }
    },
    TIMEOUT_MS,
  );

  it(
    "one for another SDK is refused, both versions named, with exit status 2",
    async () => {
      const config = cluster.write("future.yaml", "providers:\n  - package: verbena-provider-future\n");
      const words = ["serve", "--config", config, "--fabric", cluster.fabric, "--node", "H2"];
      const { status, out, err } = await run([...words, "--socket", cluster.path("future.sock")]);
      expect(err).toMatch(
        /^verbena: provider "future" 3\.2\.1 \(.*\) works with SDK \^2\.0, this host offers SDK 1\.3\.0 \[VERBENA_PROVIDER_SDK_RANGE\]\nhint: install a newer Verbena, or an older future$/m,
      );
      expect(out).toBe("");
      expect(status).toBe(2);
    },
    TIMEOUT_MS,
  );
});

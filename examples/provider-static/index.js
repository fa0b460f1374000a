/**
 * A provider that knows the fabric from a file. It shows the whole life of a provider: manifest, options, one session per port, one
 * per endpoint, and both roles. Copy it to start your own.
 */
import { defineProvider, inject, injectable, tokens } from "@verbena/core/sdk";
import { emptyPathRecord, Selector } from "@verbena/ib";
import * as v from "valibot";
import { readStaticFile } from "./static-file.js";

class StaticProvider {
  #file;

  constructor(options, logger) {
    this.#file = readStaticFile(options.file);
    logger.info("static routes read", { file: options.file, paths: this.#file.byGid.size });
  }

  async openPort(_port, _services) {
    const file = this.#file;
    return {
      openEndpoint: async () => new StaticSession(file),
      [Symbol.asyncDispose]: async () => {},
    };
  }

  async [Symbol.asyncDispose]() {}
}

// Plain JavaScript has no parameter decorators; calling them says the same.
injectable()(StaticProvider);
inject(tokens.options)(StaticProvider, undefined, 0);
inject(tokens.logger)(StaticProvider, undefined, 1);

class StaticSession {
  state = "ready";
  #file;

  constructor(file) {
    this.#file = file;
  }

  address = {
    resolveAddress: async (to) => {
      const key = to.kind === "name" ? to.name : to.kind === "ip" ? to.address : undefined;
      const gid = to.kind === "gid" ? to.gid : key && this.#file.addresses.get(key);
      if (to.kind === "lid") return { lid: to.lid };
      return gid === undefined ? undefined : { gid };
    },
  };

  route = {
    resolveRoute: async ({ dgid, dlid, sgid, pkey, endpoint }) => {
      const known = dgid === undefined ? this.#file.byLid.get(dlid) : this.#file.byGid.get(dgid);
      if (known === undefined) return undefined;
      const path = emptyPathRecord({
        dgid: known.dgid,
        dlid: known.dlid,
        sgid,
        slid: endpoint.port.lid,
        pkey,
        reversible: true,
        sl: known.sl,
        mtuSelector: Selector.EXACTLY,
        mtu: known.mtu,
        rateSelector: Selector.EXACTLY,
        rate: known.rateGbps,
        packetLifeTimeSelector: Selector.EXACTLY,
        packetLifeTime: endpoint.port.subnetTimeout,
      });
      return { paths: [path] };
    },
  };

  onState() {
    return () => {};
  }

  async addAddress() {}
  async removeAddress() {}
  counters() {
    return {};
  }
  async [Symbol.asyncDispose]() {}
}

export default defineProvider({
  manifest: {
    name: "static",
    version: "1.0.0",
    sdk: "^1.0",
    roles: ["address", "route"],
    options: v.strictObject({ file: v.pipe(v.string(), v.nonEmpty()) }),
  },
  provider: StaticProvider,
});

/**
 * A provider that knows the fabric from a file. It shows the whole life of a provider: manifest, options, one session per port, one
 * per endpoint, and both roles. Copy it to start your own.
 */
import { defineProvider, inject, injectable, tokens } from "@verbena/core/sdk";
import { emptyPathRecord, Selector } from "@verbena/ib";
import * as v from "valibot";
import { readStaticFile } from "./static-file.js";

/** @typedef {import("@verbena/core/sdk").EndpointSession} EndpointSession */
/** @typedef {ReturnType<typeof readStaticFile>} StaticFile */

class StaticProvider {
  #file;

  /**
   * @param {{ readonly file: string }} options
   * @param {import("@verbena/core/sdk").Logger} logger
   */
  constructor(options, logger) {
    this.#file = readStaticFile(options.file);
    logger.info("static routes read", { file: options.file, paths: this.#file.byGid.size });
  }

  /**
   * @param {import("@verbena/core/sdk").Port} _port
   * @param {import("@verbena/core/sdk").PortServices} _services
   */
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

/** @implements {EndpointSession} */
class StaticSession {
  state = /** @type {const} */ ("ready");
  #file;

  /** @param {StaticFile} file */
  constructor(file) {
    this.#file = file;
  }

  /** @type {import("@verbena/core/sdk").AddressProvider} */
  address = {
    resolveAddress: async (to) => {
      if (to.kind === "lid") return { lid: to.lid };
      if (to.kind === "gid") return { gid: to.gid };
      const gid = this.#file.addresses.get(to.kind === "name" ? to.name : to.address);
      return gid === undefined ? undefined : { gid };
    },
  };

  /** @type {import("@verbena/core/sdk").RouteProvider} */
  route = {
    resolveRoute: async ({ dgid, dlid, sgid, pkey, endpoint }) => {
      const byLid = dlid && this.#file.byLid.get(dlid);
      const known = dgid === undefined ? byLid : this.#file.byGid.get(dgid);
      if (!known) return undefined;
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

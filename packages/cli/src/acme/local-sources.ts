import { hostname } from "node:os";
import type { GenerateSources } from "./generate.js";

/** The files as this host wants them; what they are made with is loaded when asked for. */
export function localSources(): GenerateSources {
  return {
    confDir: "/etc/rdma",
    async addressFile() {
      const [{ devicePorts, generateAddressFile }, { openNative }] = await Promise.all([
        import("@verbena/core"),
        import("@verbena/native"),
      ]);
      await using native = openNative();
      const devices = await devicePorts(native);
      return { devices: devices.length, text: generateAddressFile({ hostname: hostname(), devices }) };
    },
    async optionsFile() {
      const { generateOptionsFile } = await import("@verbena/core");
      return generateOptionsFile();
    },
  };
}

import type { NativeServices } from "@verbena/native";
import type { Clock, Logger } from "../sdk/services.js";
import type { PortSource } from "./port-source.js";
import { UmadPortSource } from "./umad-source.js";
import { VerbsLaterSource } from "./verbs-later-source.js";
import { VerbsPortSource } from "./verbs-source.js";

/** libibverbs where it knows a device; libibumad where it does not, or is not there, for as long as that is so. */
export function choosePortSource(native: NativeServices, clock: Clock, logger: Logger): PortSource {
  let hasFailed = false;
  const verbs = (): PortSource | undefined => {
    try {
      return native.verbs.devices().length > 0 ? new VerbsPortSource(native.verbs, clock, logger) : undefined;
    } catch (error) {
      if (!hasFailed) logger.info("libibverbs lists no devices", { error: String(error) });
      hasFailed = true;
      return undefined;
    }
  };
  return verbs() ?? new VerbsLaterSource({ umad: new UmadPortSource(native.umad, clock, logger), verbs, clock });
}

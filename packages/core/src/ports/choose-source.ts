import type { NativeServices } from "@verbena/native";
import type { Clock, Logger } from "../sdk/services.js";
import type { PortSource } from "./port-source.js";
import { UmadPortSource } from "./umad-source.js";
import { VerbsPortSource } from "./verbs-source.js";

/** libibverbs where it knows a device; libibumad where it does not, or is not there. */
export function choosePortSource(native: NativeServices, clock: Clock, logger: Logger): PortSource {
  return hasVerbsDevice(native, logger)
    ? new VerbsPortSource(native.verbs, clock, logger)
    : new UmadPortSource(native.umad, clock, logger);
}

function hasVerbsDevice(native: NativeServices, logger: Logger): boolean {
  try {
    return native.verbs.devices().length > 0;
  } catch (error) {
    logger.info("libibverbs lists no devices", { error: String(error) });
    return false;
  }
}

import type { NativeServices } from "@verbena/native";
import type { LossBook } from "../losses/loss-book.js";
import type { Clock, Logger } from "../sdk/services.js";
import type { PortSource } from "./port-source.js";
import { UmadPortSource } from "./umad-source.js";
import { VerbsLaterSource } from "./verbs-later-source.js";
import { VerbsPortSource } from "./verbs-source.js";

const VERBS = "libibverbs";

/** libibverbs where it knows a device; libibumad where it does not, or is not there, for as long as that is so. */
export function choosePortSource(native: NativeServices, clock: Clock, logger: Logger, losses: LossBook): PortSource {
  const verbs = (): PortSource | undefined => {
    try {
      const hasDevices = native.verbs.devices().length > 0;
      losses.regain(VERBS);
      return hasDevices ? new VerbsPortSource(native.verbs, clock, logger, losses) : undefined;
    } catch (error) {
      losses.lose(VERBS, "changes of ports as they happen (libibverbs); ports are read now and then instead", error);
      return undefined;
    }
  };
  return (
    verbs() ?? new VerbsLaterSource({ umad: new UmadPortSource(native.umad, clock, logger, losses), verbs, clock })
  );
}

import type { ControlMessage } from "@verbena/core/sdk";
import { invalid } from "./ends.js";

/** Level of RDS' own control messages and options, on Linux. */
const SOL_RDS = 276;

/** Control messages that a transport gets: those of other levels are not its business. Throws EINVAL for one that it cannot send. */
export function checkControl(
  control: readonly ControlMessage[],
  sendable: readonly ControlMessage["type"][],
): readonly ControlMessage[] {
  const own = control.filter((message) => message.type !== "unknown" || message.level === SOL_RDS);
  const refused = own.find(({ type }) => !sendable.includes(type));
  if (refused === undefined) return own;
  throw invalid(`control messages of type ${refused.type} cannot be sent on this transport`);
}

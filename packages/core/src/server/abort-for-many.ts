import { setMaxListeners } from "node:events";

/** A controller whose signal may have a listener for each open request of a client without Node warning of a leak. */
export function abortForMany(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

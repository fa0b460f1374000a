import type { EndpointSession } from "../sdk/provider.js";

/**
 * Whether a session can be asked: at once if it is ready or has failed, else as soon as it is known, or once nobody wants to know any more. A question
 * that comes while a provider is joining, as at the start or after a change, is worth the moment that takes.
 */
export function whenReady(session: EndpointSession, signal: AbortSignal): Promise<boolean> {
  if (session.state !== "joining" || signal.aborted) return Promise.resolve(session.state === "ready");
  return new Promise((resolve) => {
    const end = (isReady: boolean): void => {
      unsubscribe();
      signal.removeEventListener("abort", onAbort);
      resolve(isReady);
    };
    const onAbort = (): void => {
      end(false);
    };
    const unsubscribe = session.onState((state) => {
      if (state !== "joining") end(state === "ready");
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

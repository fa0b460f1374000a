import { channel } from "node:diagnostics_channel";

/** One message of the channel `verbena:engine:request`: a request that has ended. */
export interface RequestMessage {
  readonly requestId: string;
  readonly destination: string;
  /** Key of the endpoint it went out from; absent when it reached none. */
  readonly endpoint?: string;
  /** Code of the failure; absent when it was answered. */
  readonly code?: string;
  /** From arrival to end, on the engine's clock. */
  readonly durationMs: number;
}

const requests = channel("verbena:engine:request");

/** Tells who listens; costs a look at a flag when nobody does. Answers given at once from the cache are not reported. */
export function publishRequest(message: () => RequestMessage): void {
  if (requests.hasSubscribers) requests.publish(message());
}

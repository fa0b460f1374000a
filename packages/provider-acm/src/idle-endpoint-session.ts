import type { EndpointSession, SessionState } from "@verbena/core/sdk";

/** Where there are no queue pairs: it is never ready, and others do its part. */
export class IdleEndpointSession implements EndpointSession {
  readonly state: SessionState = "failed";

  onState(): () => void {
    return () => undefined;
  }

  addAddress(): Promise<void> {
    return Promise.resolve();
  }

  removeAddress(): Promise<void> {
    return Promise.resolve();
  }

  counters(): Readonly<Record<string, number>> {
    return {};
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

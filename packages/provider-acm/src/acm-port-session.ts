import type {
  Endpoint,
  EndpointServices,
  EndpointSession,
  Port,
  PortEvent,
  PortServices,
  PortSession,
  ProviderHost,
} from "@verbena/core/sdk";
import type { Gid } from "@verbena/ib";
import { AcmEndpointSession } from "./acm-endpoint-session.js";
import { IdleEndpointSession } from "./idle-endpoint-session.js";
import type { AcmProviderOptions } from "./options.js";

/** The provider on one port. Each endpoint has a queue pair and groups of its own. */
export class AcmPortSession implements PortSession {
  readonly #endpoints = new Set<AcmEndpointSession>();

  constructor(
    readonly port: Port,
    private readonly services: PortServices,
    private readonly host: Pick<ProviderHost, "clock" | "random" | "metrics">,
    private readonly options: AcmProviderOptions,
    private readonly isOwnGid: (gid: Gid) => boolean,
    private readonly onClose: (session: AcmPortSession) => void,
  ) {
    if (services.rdma === undefined) {
      services.logger.info("no queue pairs on this port: names and addresses are not asked for by multicast");
    }
  }

  openEndpoint(endpoint: Endpoint, services: EndpointServices): Promise<EndpointSession> {
    const { rdma, sa, memberships } = this.services;
    if (rdma === undefined) return Promise.resolve(new IdleEndpointSession());
    const { host, options, isOwnGid } = this;
    const session = new AcmEndpointSession({
      endpoint,
      services,
      sa,
      memberships,
      rdma,
      host,
      options,
      isOwnGid,
      onClose: (closed) => this.#endpoints.delete(closed),
    });
    this.#endpoints.add(session);
    session.start();
    return Promise.resolve(session);
  }

  onEvent(event: PortEvent): void {
    for (const session of this.#endpoints) session.onEvent(event);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.onClose(this);
    return Promise.resolve();
  }
}

import { type AcmEndpoint, decodeEndpointReply, encodeEndpointRequest, Guid } from "@verbena/ib";
import type { AcmeOptions } from "./options.js";
import type { Print } from "./print.js";
import type { Service } from "./service.js";

/** Ports a device can have, as far as the protocol knows. */
const MAX_PORTS = 255;

/** Prints endpoints; one object for all services of a run, since the header is printed once. */
export class EndpointReport {
  #hasHeader = false;

  constructor(
    private readonly options: AcmeOptions,
    private readonly print: Print,
  ) {}

  /** One endpoint by number, or 1, 2, 3 … until one is missing. */
  async query(service: Service, name: string): Promise<void> {
    const { endpointIndex } = this.options;
    if (endpointIndex === 0) {
      for (let index = 1; await this.#onEveryPort(service, name, index); index++);
    } else if (!(await this.#onEveryPort(service, name, endpointIndex))) {
      this.print(` Endpoint ${endpointIndex} is not available`);
    }
  }

  /** Asks for the endpoint on port 1, 2 …: as many as its device has, once one has answered. */
  async #onEveryPort(service: Service, name: string, index: number): Promise<boolean> {
    let ports = MAX_PORTS;
    let isFound = false;
    for (let port = 1; port <= ports; port++) {
      const endpoint = await ask(service, index & 0xff, port);
      if (endpoint === undefined) continue;
      isFound = true;
      ports = endpoint.physicalPortCount;
      this.#show(name, index, endpoint);
    }
    return isFound;
  }

  #show(name: string, index: number, { guid, port, pkey, provider, addresses }: AcmEndpoint): void {
    if (!this.#hasHeader) this.print("svc,guid,port,pkey,ep_index,prov,addr_0,addresses");
    this.#hasHeader = true;
    const key = `0x${pkey.toString(16).padStart(4, "0")}`;
    this.print([name, Guid.format(guid), port, key, index, provider, ...addresses].join(","));
  }
}

async function ask(service: Service, index: number, port: number): Promise<AcmEndpoint | undefined> {
  try {
    return decodeEndpointReply(await service.exchange(encodeEndpointRequest({ index, port }))).endpoint;
  } catch {
    return undefined;
  }
}

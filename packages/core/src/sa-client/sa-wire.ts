import { encodeSaMad, MgmtClass } from "@verbena/ib";
import type { UmadAgent, UmadMessage, UmadPort, UmadService } from "@verbena/native";
import type { Port } from "../sdk/endpoint.js";
import type { SaQuery } from "../sdk/services.js";
import { saAddress } from "./sa-address.js";
import { SA_METHODS } from "./sa-response.js";

export interface SaWireOptions {
  readonly umad: UmadService;
  readonly port: Port;
  readonly onMessage: (message: UmadMessage) => void;
  /** The agent gives nothing any more. */
  readonly onFailure: (cause: unknown) => void;
}

/** The MAD agent through which one port asks its SA. */
export class SaWire {
  readonly #umadPort: UmadPort;
  readonly #agent: UmadAgent;
  readonly #reader: Promise<void>;
  #closing: Promise<void> | undefined;

  /** Throws what opening the umad port or registering the agent throws. */
  constructor({ umad, port, onMessage, onFailure }: SaWireOptions) {
    this.#umadPort = umad.openPort(port.device, port.port);
    try {
      this.#agent = this.#umadPort.registerAgent({ mgmtClass: MgmtClass.SUBN_ADM, classVersion: 2, rmppVersion: 1 });
    } catch (error) {
      void this.#umadPort.close();
      throw error;
    }
    this.#reader = this.#read(onMessage, onFailure);
  }

  /** Sends one try to the SA of `port`. Throws what the library throws. */
  send(query: SaQuery, tid: number, port: Port, timeoutMs: number): void {
    const mad = encodeSaMad({
      method: SA_METHODS[query.method],
      tid: BigInt(tid),
      attributeId: query.attributeId,
      attributeModifier: query.attributeModifier ?? 0,
      componentMask: query.componentMask,
      record: query.record,
    });
    // One try of ours is one try of the kernel's: it repeats nothing, so that BUSY, silence and a new SM are all decided here.
    this.#agent.send(mad, { to: saAddress(port), timeoutMs, retries: 0 });
  }

  /** Gives the agent back. Idempotent. */
  async close(): Promise<void> {
    this.#closing ??= this.#agent.close().then(() => this.#umadPort.close());
    await this.#closing;
    await this.#reader;
  }

  async #read(onMessage: SaWireOptions["onMessage"], onFailure: SaWireOptions["onFailure"]): Promise<void> {
    try {
      for await (const message of this.#agent.messages()) onMessage(message);
    } catch (cause) {
      onFailure(cause);
    }
  }
}

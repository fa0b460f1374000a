import type { LocalTransport, MessageTransport, PeerSource, TransportAddress, TransportSink } from "@verbena/core/sdk";
import { IpAddress } from "@verbena/ib";

/** A transport whose wire is the test itself: it takes frames out of the sources of peers, and puts others in. */
export class ScriptedTransport implements MessageTransport {
  readonly kind = "messages";
  readonly name = "scripted";
  readonly #sources = new Map<string, PeerSource>();
  #sink: TransportSink | undefined;

  constructor(private readonly address: string) {}

  claims({ address }: TransportAddress): boolean {
    return address === this.address;
  }

  open(_local: TransportAddress, sink: TransportSink): Promise<LocalTransport> {
    this.#sink = sink;
    return Promise.resolve({
      link: ({ address }: TransportAddress, source: PeerSource) => {
        this.#sources.set(address, source);
        return { state: "up" as const, wake: () => undefined, close: () => undefined };
      },
      close: () => Promise.resolve(),
    });
  }

  /** The engine's side of a peer, which comes forward if it has not yet. Call it once the address is bound. */
  contact(remote: string): PeerSource {
    this.#sink?.contact({ address: IpAddress.parse(remote), scopeId: 0 });
    const source = this.#sources.get(remote);
    if (source === undefined) throw new Error(`no peer ${remote}`);
    return source;
  }
}

import type { Guid, Lid, NodeRecord } from "@verbena/ib";

/** A port that a host name may stand for. */
export interface NamedPort {
  readonly lid: Lid;
  readonly portGuid: Guid;
  readonly nodeDescription: string;
  readonly portNumber: number;
}

/** IBA 14.2.5.3 NodeInfo:NodeType of a channel adapter. */
const CHANNEL_ADAPTER = 1;

/**
 * Host names of a fabric, taken from the NodeDescriptions of its channel adapters. The description is `HOST DEVICE` by convention
 * (`node7 HCA-1`, `node7 mlx5_0`); the first word is the host. Names are compared without case, and a domain after the first
 * dot is ignored when the description has none. Forms understood, tried in this order:
 *
 * 1. the whole description;
 * 2. the host: its first port, adapters ordered by description and ports by number;
 * 3. `HOST-N` with N from 1: the N-th port in that order, as `ibacm`'s generated address file numbers them.
 */
export class NodeNames {
  readonly #byDescription = new Map<string, NamedPort>();
  readonly #byHost = new Map<string, NamedPort[]>();

  constructor(records: readonly NodeRecord[]) {
    // `HCA-2` sorts before `HCA-10`. A collator takes long to make: not before there are names.
    const naturally = new Intl.Collator("en", { numeric: true });
    const ports = records
      .flatMap((record) => toPort(record))
      .sort((a, b) => naturally.compare(a.nodeDescription, b.nodeDescription) || a.portNumber - b.portNumber);
    for (const port of ports) {
      const description = port.nodeDescription.toLowerCase();
      if (!this.#byDescription.has(description)) this.#byDescription.set(description, port);
      const host = firstWord(description);
      const known = this.#byHost.get(host);
      if (known === undefined) this.#byHost.set(host, [port]);
      else known.push(port);
    }
  }

  /** Number of ports known by a name. */
  get size(): number {
    let size = 0;
    for (const ports of this.#byHost.values()) size += ports.length;
    return size;
  }

  /** `name` in any case. */
  find(name: string): NamedPort | undefined {
    const wanted = name.toLowerCase();
    return this.#byDescription.get(wanted) ?? this.#host(wanted)?.[0] ?? this.#numbered(wanted);
  }

  #host(wanted: string): readonly NamedPort[] | undefined {
    return this.#byHost.get(wanted) ?? this.#byHost.get(wanted.split(".", 1)[0] ?? wanted);
  }

  #numbered(wanted: string): NamedPort | undefined {
    const match = /^(.+)-([1-9]\d{0,2})$/.exec(wanted);
    return match?.[1] === undefined ? undefined : this.#host(match[1])?.[Number(match[2]) - 1];
  }
}

function toPort(record: NodeRecord): NamedPort[] {
  const { nodeInfo, nodeDescription, lid } = record;
  const text = nodeDescription.trim();
  if (nodeInfo.nodeType !== CHANNEL_ADAPTER || lid === 0 || text === "") return [];
  return [{ lid, portGuid: nodeInfo.portGuid, nodeDescription: text, portNumber: nodeInfo.localPortNum }];
}

function firstWord(description: string): string {
  return description.split(/\s+/, 1)[0] ?? description;
}

import type { Port, SaQuery, SaResponse, SaService } from "@verbena/core/sdk";
import { Gid, Guid, type Lid, Mtu, PKey, Rate } from "@verbena/ib";

/** An SA that answers by script and remembers what it was asked. */
export class ScriptedSa implements SaService {
  readonly queries: SaQuery[] = [];
  answer: (query: SaQuery) => SaResponse = () => ({ status: 0, records: [] });

  query(query: SaQuery): Promise<SaResponse> {
    this.queries.push(query);
    return new Promise((resolve) => {
      resolve(this.answer(query));
    });
  }
}

/** A clock that stands still until it is moved. */
export class StandingClock {
  #now = 0;
  now = (): number => this.#now;
  schedule = (): (() => void) => () => undefined;
  advance(ms: number): void {
    this.#now += ms;
  }
}

export const SGID = Gid.of(Gid.linkLocalPrefix, 0x1001n);

export const PORT: Port = {
  device: "sim0",
  nodeGuid: Guid.from(0x1000n),
  portCount: 1,
  port: 1,
  portGuid: Guid.from(0x1001n),
  state: "active",
  lid: 1 as Lid,
  lmc: 0,
  smLid: 1 as Lid,
  smSl: 0,
  subnetTimeout: 18,
  activeMtu: Mtu.fromBytes(2048) ?? Mtu.zero,
  activeRate: Rate.zero,
  gids: [SGID],
  pkeys: [PKey.DEFAULT],
  linkLayer: "infiniband",
  generation: 1,
};

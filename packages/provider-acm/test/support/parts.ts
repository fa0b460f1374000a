import type { LocalAddress, Port } from "@verbena/core/sdk";
import { Destination } from "@verbena/core/sdk";
import {
  acmMgid,
  emptyMcMemberRecord,
  Gid,
  Guid,
  IpAddress,
  type Lid,
  type McMemberRecord,
  Mtu,
  PKey,
  Rate,
  Selector,
} from "@verbena/ib";

/** GID of a host on the recorded fabric. */
export const gidOf = (n: number): Gid => Gid.parse(`fe80::10:${n.toString(16)}`);

export const ip = (text: string): Extract<LocalAddress, { kind: "ip" }> => ({
  kind: "ip",
  address: IpAddress.parse(text),
  text,
  origin: "system",
});

export const named = (text: string): Extract<LocalAddress, { kind: "name" }> => ({
  kind: "name",
  name: text.toLowerCase(),
  text,
  origin: "file",
});

export const to = (text: string): Destination => {
  const address = IpAddress.tryParse(text);
  return address === undefined ? Destination.name(text) : Destination.ip(address);
};

/** The base group of the recorded fabric: 10 Gb/s, 2048 bytes. */
export const BASE = acmMgid({ pkey: PKey.DEFAULT, rate: Rate.RATE_10, mtu: Mtu.MTU_2048 });
/** Its base group with `min_rate 2` and `min_mtu 1024`. */
export const LOW = acmMgid({ pkey: PKey.DEFAULT, rate: Rate.RATE_2_5, mtu: Mtu.MTU_1024 });

/** A group as the SA grants it. */
export function granted(mgid: Gid, fields: Partial<McMemberRecord> = {}): McMemberRecord {
  return emptyMcMemberRecord({
    mgid,
    portGid: gidOf(1),
    qkey: 0x8001_0000,
    mlid: 0xc001 as Lid,
    mtuSelector: Selector.EXACTLY,
    mtu: Mtu.MTU_2048,
    rateSelector: Selector.EXACTLY,
    rate: Rate.RATE_10,
    packetLifeTimeSelector: Selector.EXACTLY,
    pkey: PKey.DEFAULT,
    scope: 5,
    joinState: 1,
    ...fields,
  });
}

export const PORT: Port = {
  device: "sim0",
  nodeGuid: Guid.from(0x10_0000n),
  portCount: 1,
  port: 1,
  portGuid: Guid.from(Gid.guid(gidOf(1))),
  state: "active",
  lid: 1 as Lid,
  lmc: 0,
  smLid: 1 as Lid,
  smSl: 0,
  subnetTimeout: 18,
  activeMtu: Mtu.MTU_2048,
  activeRate: Rate.RATE_10,
  gids: [gidOf(1)],
  pkeys: [PKey.DEFAULT],
  linkLayer: "infiniband",
  generation: 1,
};

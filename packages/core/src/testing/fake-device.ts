import { Gid, type Guid, type Lid, type Mtu, type PKey } from "@verbena/ib";
import type { PortState } from "@verbena/native";

/** A port of the fake host; everything but `port` and `portGuid` has a default. */
export interface FakePortSpec {
  readonly port: number;
  readonly portGuid: Guid;
  readonly lid?: Lid;
  readonly state?: PortState;
  readonly lmc?: number;
  readonly smLid?: Lid;
  readonly smSl?: number;
  readonly pkeys?: readonly PKey[];
  readonly gids?: readonly Gid[];
  readonly mtu?: Mtu;
  readonly width?: number;
  readonly speed?: number;
  readonly subnetTimeout?: number;
  /** `infiniband` (the default) or `ethernet`. */
  readonly linkLayer?: string;
}

/** A channel adapter of the fake host. */
export interface FakeDeviceSpec {
  readonly name: string;
  readonly nodeGuid: Guid;
  readonly ports: readonly FakePortSpec[];
}

/** A port with every default filled in: active, 4x QDR, MTU 2048, LID 1, SM at LID 1, partition 0xffff, link-local GID. */
export type FakePort = Required<FakePortSpec>;

/** Fills the defaults of a port. */
export function fakePort(spec: FakePortSpec): FakePort {
  return {
    lid: 1 as Lid,
    state: "active",
    lmc: 0,
    smLid: 1 as Lid,
    smSl: 0,
    pkeys: [0xffff as PKey],
    gids: [Gid.of(Gid.linkLocalPrefix, spec.portGuid)],
    mtu: 4 as Mtu,
    width: 2,
    speed: 4,
    subnetTimeout: 18,
    linkLayer: "infiniband",
    ...spec,
  };
}

/** The host's hardware as both fake libraries see it. */
export interface FakeDevice {
  readonly name: string;
  readonly nodeGuid: Guid;
  readonly ports: Map<number, FakePort>;
}

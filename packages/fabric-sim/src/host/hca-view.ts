import type { Gid, Guid, Lid, PKey } from "@verbena/ib";
import { Gid as Gids, Guid as Guids, PortCapability, Rate } from "@verbena/ib";
import type { AttachedHca, AttachedPort } from "../attach/attach-host.js";
import type { FabricNode } from "../fabric/node.js";
import type { FabricPort } from "../fabric/port.js";

/** An HCA of the fabric as attached programs see it; everything is read afresh. */
export class HcaView implements AttachedHca {
  readonly ports: readonly AttachedPort[];

  constructor(
    readonly index: number,
    readonly node: FabricNode,
  ) {
    this.ports = node.ports.map((port) => new PortView(port));
  }

  get id(): string {
    return this.node.id;
  }

  get nodeDescription(): string {
    return this.node.description;
  }

  get nodeGuid(): Guid {
    return this.node.nodeGuid;
  }

  get sysImageGuid(): Guid {
    return this.node.systemImageGuid;
  }

  get vendorId(): number {
    return this.node.vendorId;
  }

  get deviceId(): number {
    return this.node.deviceId;
  }
}

class PortView implements AttachedPort {
  readonly linkLayer = "infiniband";

  constructor(private readonly port: FabricPort) {}

  get number(): number {
    return this.port.number;
  }

  get guid(): Guid {
    return this.port.guid;
  }

  get lid(): Lid {
    return this.port.lid;
  }

  get lmc(): number {
    return this.port.lmc;
  }

  get smLid(): Lid {
    return this.port.smLid;
  }

  get smSl(): number {
    return this.port.smSl;
  }

  get state(): number {
    return this.port.state;
  }

  get physState(): number {
    return this.port.physState;
  }

  get mtuCap(): number {
    return this.port.mtuCap;
  }

  get activeMtu(): number {
    return this.port.neighborMtu;
  }

  get width(): number {
    return this.port.link.width;
  }

  get speed(): number {
    return this.port.link.speed;
  }

  get rate(): number {
    return Rate.toGbps(this.port.rate) ?? 0;
  }

  get capabilityMask(): number {
    // Programs get no second mask with it.
    return this.port.capabilityMask & ~PortCapability.HAS_CAP_MASK2;
  }

  get subnetTimeout(): number {
    return this.port.subnetTimeout;
  }

  get gids(): readonly Gid[] {
    const { gid, gidPrefix, aliasGuids } = this.port;
    return [gid, ...aliasGuids.map((guid) => (guid === Guids.zero ? Gids.zero : Gids.of(gidPrefix, guid)))];
  }

  get pkeyViolations(): number {
    return this.port.pkeyViolations;
  }

  get qkeyViolations(): number {
    return this.port.qkeyViolations;
  }

  get pkeys(): readonly PKey[] {
    return this.port.pkeys;
  }
}

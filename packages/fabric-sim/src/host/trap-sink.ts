import {
  decodeNotice,
  decodeSmp,
  encodeIbPacket,
  encodeSmp,
  MAD_SIZE,
  MadMethod,
  MgmtClass,
  NOTICE_SIZE,
  SmAttribute,
} from "@verbena/ib";
import type { Fabric } from "../fabric/fabric.js";
import { decodePacket } from "../gsi/gsi.js";
import type { SaServer } from "../sa/sa-server.js";
import type { SubnetManager } from "../sm/subnet-manager.js";
import type { PortAgent } from "./fabric-host.js";

/** Takes the traps that reach the built-in manager's port: represses each (IBA 14.3.10), and reports it to subscribers. */
export function trapSink(fabric: Fabric, sm: SubnetManager, sa: SaServer): PortAgent {
  return (port, packet) => {
    if (port !== sm.port) return false;
    const decoded = decodePacket(packet);
    const mad = decoded?.payload;
    if (decoded?.bth.destQpn !== 0 || mad?.length !== MAD_SIZE) return false;
    if (mad.readUInt8(1) !== MgmtClass.SUBN_LID_ROUTED || mad.readUInt8(3) !== MadMethod.TRAP) return false;
    const smp = decodeSmp(mad);
    const { lrh } = decoded;
    fabric.send(
      port,
      encodeIbPacket({
        ...decoded,
        lrh: { ...lrh, dlid: lrh.slid, slid: port.lid },
        payload: encodeSmp({ ...smp, method: MadMethod.TRAP_REPRESS }),
      }),
    );
    const issuer = sm.subnet.portByLid(lrh.slid);
    if (smp.attributeId !== SmAttribute.NOTICE || issuer === undefined) return true;
    // A trap has no issuer GID; the manager fills it in for those who hear of it.
    const notice = decodeNotice(Buffer.concat([smp.data], NOTICE_SIZE));
    sa.report({ ...notice, issuerGid: issuer.gid }, issuer);
    return true;
  };
}

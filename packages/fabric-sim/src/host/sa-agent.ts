import { MAD_SIZE, MadMethod, MgmtClass } from "@verbena/ib";
import { admitsPkey, decodePacket } from "../gsi/gsi.js";
import type { SaServer } from "../sa/sa-server.js";
import type { SubnetManager } from "../sm/subnet-manager.js";
import type { PortAgent } from "./fabric-host.js";

const RESPONSE_BIT = 0x80;

/** Takes what is meant for the built-in SA: class 3 on QP 1 of its port, except answers and reports to programs on the same node. */
export function saAgent(sm: SubnetManager, sa: SaServer): PortAgent {
  return (port, packet) => {
    if (port !== sm.port) return false;
    const decoded = decodePacket(packet);
    const mad = decoded?.payload;
    if (decoded?.bth.destQpn !== 1 || mad?.length !== MAD_SIZE) return false;
    if (mad.readUInt8(1) !== MgmtClass.SUBN_ADM) return false;
    const method = mad.readUInt8(3);
    if (method === MadMethod.REPORT_RESP) return sa.acknowledge({ mad, remoteLid: decoded.lrh.slid });
    if ((method & RESPONSE_BIT) !== 0 || method === MadMethod.REPORT) return false;
    if (!admitsPkey(port, decoded.bth.pkey)) return false;
    sa.receive({
      port,
      remoteLid: decoded.lrh.slid,
      remoteQpn: decoded.deth?.srcQpn ?? 1,
      pkey: replyPkey(port.pkeys, decoded.bth.pkey),
      sl: decoded.lrh.sl,
      mad,
      packet: decoded,
    });
    return true;
  };
}

/** The answer carries the port's own key of the partition: a limited member's question gets a full member's answer. */
function replyPkey<K extends number>(own: readonly K[], received: K): K {
  return own.find((one) => (one & 0x7fff) === (received & 0x7fff)) ?? received;
}

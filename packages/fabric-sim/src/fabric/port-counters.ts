/** What a port has counted since a performance manager last cleared it. Plain numbers; the codec clamps them to their fields. */
export class PortCounters {
  /** 32-bit words. */
  xmitData = 0;
  /** 32-bit words. */
  rcvData = 0;
  xmitPackets = 0;
  rcvPackets = 0;
  xmitDiscards = 0;
  /** Packets that a switch port did not let out, or in, because they are not of its partitions. */
  xmitConstraintErrors = 0;
  rcvConstraintErrors = 0;
  linkDowned = 0;
}

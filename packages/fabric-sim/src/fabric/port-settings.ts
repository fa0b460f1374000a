/** Members of PortInfo that a subnet manager writes and the fabric only keeps (IBA 14.2.5.6); units and codes as there. */
export interface PortSettings {
  readonly mkey: bigint;
  readonly mkeyLeasePeriod: number;
  readonly mkeyProtectBits: number;
  readonly linkDownDefaultState: number;
  readonly vlHighLimit: number;
  readonly vlStallCount: number;
  readonly hoqLife: number;
  readonly operationalVls: number;
  readonly partitionEnforcement: number;
  readonly localPhyErrors: number;
  readonly overrunErrors: number;
}

/** What a port has before a subnet manager has written anything. */
export function defaultPortSettings(): PortSettings {
  return {
    mkey: 0n,
    mkeyLeasePeriod: 0,
    mkeyProtectBits: 0,
    linkDownDefaultState: 2,
    vlHighLimit: 0,
    vlStallCount: 7,
    hoqLife: 0,
    operationalVls: 4,
    partitionEnforcement: 0,
    localPhyErrors: 0,
    overrunErrors: 0,
  };
}

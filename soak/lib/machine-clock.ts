/** Milliseconds of CLOCK_MONOTONIC: the clock of the fabric's event log. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

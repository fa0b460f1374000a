/** What is counted, from the beginning of a run on. */
export interface Counts {
  requestsSent: number;
  requestsReceived: number;
  acksSent: number;
  acksReceived: number;
  /** Payload of requests and acks, both ways. */
  bytes: number;
  /** Time in sends of requests, microseconds. */
  sendUs: number;
  /** From before the send of each request to the receipt of its ack, microseconds. */
  rttUs: number;
  /** Sends refused because the send queue was full (EAGAIN). */
  refusedFull: number;
  /** Sends refused because the destination was congested (ENOBUFS). */
  refusedCongested: number;
}

/** Nothing yet. */
export const noCounts = (): Counts => ({
  requestsSent: 0,
  requestsReceived: 0,
  acksSent: 0,
  acksReceived: 0,
  bytes: 0,
  sendUs: 0,
  rttUs: 0,
  refusedFull: 0,
  refusedCongested: 0,
});

/** What has been counted between two moments. */
export function countsBetween(earlier: Counts, later: Counts): Counts {
  const counts = noCounts();
  for (const name of Object.keys(counts) as (keyof Counts)[]) counts[name] = later[name] - earlier[name];
  return counts;
}

/** Round trips by powers of two: bucket i has those from 2^i up to 2^(i+1) µs, the first all below, the last all above. */
export class RttHistogram {
  readonly buckets = new Array<number>(16).fill(0);

  add(us: number): void {
    const bucket = Math.min(15, Math.max(0, Math.floor(Math.log2(Math.max(us, 1)))));
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
  }

  /** A line for each bucket: the first microsecond it has, and how many. */
  toString(): string {
    return this.buckets.map((count, i) => `${String(2 ** i).padStart(8)} us ${String(count).padStart(10)}\n`).join("");
  }
}

import type { DropReason } from "../wire/packet.js";

/** What an endpoint counts, since its session was opened. */
export interface AcmCounts {
  /** Addresses asked for; the counter of ibacm. */
  addressQuery: number;
  /** Packets with a request, repeats included. */
  requestsSent: number;
  /** Of these, repeats. */
  retries: number;
  /** Addresses nobody answered for. */
  timeouts: number;
  /** Own addresses told to the group. */
  announcements: number;
  responsesSent: number;
  requestsHeard: number;
  /** Of these, for an own address. */
  requestsForUs: number;
  responsesHeard: number;
  /** Responses to nothing that was asked, or too late. */
  unmatched: number;
  /** Requests and responses of peers that share no group. */
  noGroup: number;
  /** Requests not answered, and addresses not learnt, since their sender sends too many. */
  limited: number;
  /** Times that two hosts claimed one address. */
  duplicates: number;
  /** Datagrams that are no message of the protocol. */
  dropped: number;
  /** Messages for which there was no room in the send queue, or that failed in it. */
  sendErrors: number;
  /** Times the queue pair was made anew because it had failed. */
  rebuilds: number;
}

/** All zero. */
export function zeroCounts(): AcmCounts {
  return {
    addressQuery: 0,
    requestsSent: 0,
    retries: 0,
    timeouts: 0,
    announcements: 0,
    responsesSent: 0,
    requestsHeard: 0,
    requestsForUs: 0,
    responsesHeard: 0,
    unmatched: 0,
    noGroup: 0,
    limited: 0,
    duplicates: 0,
    dropped: 0,
    sendErrors: 0,
    rebuilds: 0,
  };
}

/** Name of the metric that counts dropped datagrams by reason. */
export const DROPPED_METRIC = "verbena_acm_dropped_total";

/** Labels of {@link DROPPED_METRIC}. */
export function dropLabels(endpoint: string, reason: DropReason): Readonly<Record<string, string>> {
  return { endpoint, reason };
}

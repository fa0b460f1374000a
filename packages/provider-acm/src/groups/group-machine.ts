/**
 * Life of a port's membership in one group. `joining`: the SA is asked for the first time; `joined`; `renewing`: joined, and asked again, since the SA may have
 * forgotten; `waiting`: refused or not answered, asked again after a pause; `closed`.
 */
export type MemberPhase = "joining" | "joined" | "renewing" | "waiting" | "closed";

/** `granted`, `refused`: what the SA says, or that it says nothing. `renew`: what it knew may be lost. `retry`: the pause is over. */
export type MemberSignal = "granted" | "refused" | "renew" | "retry" | "close";

/** `ask`: ask the SA. `keep`: take what it granted. `pause`: ask again later; `lose`: the same, and there is no membership any more. */
export type MemberAction = "none" | "ask" | "keep" | "pause" | "lose";

interface Row {
  readonly next: MemberPhase;
  readonly action: MemberAction;
}

const to = (next: MemberPhase, action: MemberAction): Row => ({ next, action });
const closed = to("closed", "none");

/** Phase × signal. An answer that is older than the last question never gets here. */
export const MEMBER_TABLE: Readonly<Record<MemberPhase, Readonly<Record<MemberSignal, Row>>>> = {
  joining: {
    granted: to("joined", "keep"),
    refused: to("waiting", "pause"),
    renew: to("joining", "ask"),
    retry: to("joining", "none"),
    close: closed,
  },
  joined: {
    granted: to("joined", "none"),
    refused: to("joined", "none"),
    renew: to("renewing", "ask"),
    retry: to("joined", "none"),
    close: closed,
  },
  renewing: {
    granted: to("joined", "keep"),
    refused: to("waiting", "lose"),
    renew: to("renewing", "ask"),
    retry: to("renewing", "none"),
    close: closed,
  },
  waiting: {
    granted: to("waiting", "none"),
    refused: to("waiting", "none"),
    renew: to("joining", "ask"),
    retry: to("joining", "ask"),
    close: closed,
  },
  closed: { granted: closed, refused: closed, renew: closed, retry: closed, close: closed },
};

/** One step of a membership's life; pure. */
export function stepMember(phase: MemberPhase, signal: MemberSignal): Row {
  return MEMBER_TABLE[phase][signal];
}

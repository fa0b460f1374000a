/**
 * The life of a link to one peer, as a table. Of two peers the one with the smaller address owns the connection: it connects, and holds its
 * data back until the peer's first frame shows that the peer's RDS, and not just its TCP, has taken the connection. The larger one can only
 * ask for it: it connects, hangs up without a byte (a nudge), and waits to be called.
 */
export type LinkRole = "smaller" | "larger";

/** `connecting`: for the larger one, a nudge under way. `unconfirmed`: connected, but nothing has come yet. `waiting`: for the next try. */
export type LinkState = "idle" | "connecting" | "unconfirmed" | "up" | "waiting" | "closed";

/** `accepted`: the peer has called. `confirmed`: its first frame has come. `lost`: the connection has ended. `called-late`: the peer has called while an attempt of our own has been under way for long. `idle-timer`: due, and nothing to send. */
export type LinkEvent =
  | "work"
  | "accepted"
  | "called-late"
  | "connected"
  | "failed"
  | "confirmed"
  | "lost"
  | "timer"
  | "idle-timer"
  | "close";

/**
 * `begin`: frames may be sent. `turn-away`: reset what was accepted. `hang-up`: end the own attempt. `replace`: read the old connection to its
 * end, then take the new one and begin. `schedule`: try again, at once the first time; `await-call`: only if the peer does not call.
 */
export type LinkEffect =
  | "connect"
  | "hang-up"
  | "begin"
  | "turn-away"
  | "adopt"
  | "replace"
  | "end"
  | "schedule"
  | "await-call"
  | "unschedule";

/** What an event leads to. */
export interface LinkStep {
  readonly state: LinkState;
  readonly effects: readonly LinkEffect[];
}

type Table = Readonly<Record<Exclude<LinkState, "closed">, Partial<Record<LinkEvent, LinkStep>>>>;

const to = (state: LinkState, ...effects: readonly LinkEffect[]): LinkStep => ({ state, effects });

const SMALLER: Table = {
  idle: {
    work: to("connecting", "connect"),
    accepted: to("connecting", "turn-away", "connect"),
    close: to("closed"),
  },
  connecting: {
    accepted: to("connecting", "turn-away"),
    // The kernel repeats what nobody answered after ever longer waits. A peer that asks to be called is there now.
    "called-late": to("connecting", "turn-away", "hang-up", "connect"),
    connected: to("unconfirmed", "adopt"),
    failed: to("waiting", "hang-up", "schedule"),
    close: to("closed", "hang-up"),
  },
  unconfirmed: {
    accepted: to("unconfirmed", "turn-away"),
    confirmed: to("up", "begin"),
    lost: to("waiting", "schedule"),
    close: to("closed", "end"),
  },
  up: {
    accepted: to("up", "turn-away"),
    lost: to("waiting", "schedule"),
    close: to("closed", "end"),
  },
  waiting: {
    // A peer that asks to be called is there: no reason to wait any longer.
    accepted: to("connecting", "turn-away", "unschedule", "connect"),
    timer: to("connecting", "connect"),
    "idle-timer": to("connecting", "connect"),
    close: to("closed", "unschedule"),
  },
};

const LARGER: Table = {
  idle: {
    work: to("connecting", "connect"),
    accepted: to("up", "adopt", "begin"),
    close: to("closed"),
  },
  connecting: {
    accepted: to("up", "hang-up", "adopt", "begin"),
    connected: to("waiting", "hang-up", "await-call"),
    failed: to("waiting", "hang-up", "schedule"),
    close: to("closed", "hang-up"),
  },
  unconfirmed: {},
  up: {
    // A peer that calls again has dropped the first connection; its data on the new one may be acknowledged already.
    accepted: to("up", "replace"),
    lost: to("waiting", "schedule"),
    close: to("closed", "end"),
  },
  waiting: {
    accepted: to("up", "unschedule", "adopt", "begin"),
    timer: to("connecting", "connect"),
    "idle-timer": to("idle"),
    close: to("closed", "unschedule"),
  },
};

/** What the event leads to; an event that means nothing in the state changes nothing. What is accepted after the close is turned away. */
export function linkStep(role: LinkRole, state: LinkState, event: LinkEvent): LinkStep {
  if (state === "closed") return to("closed", ...(event === "accepted" ? (["turn-away"] as const) : []));
  return (role === "smaller" ? SMALLER : LARGER)[state][event] ?? to(state);
}

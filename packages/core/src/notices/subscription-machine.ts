/**
 * Where a port's subscription is. `unregistered`: there is no agent that could take reports (another program has it). `asking`: the SA has
 * been asked. `waiting`: it refused or was silent, and is asked again after a while. `subscribed`; `closed`.
 */
export type SubscriptionPhase = "unregistered" | "asking" | "waiting" | "subscribed" | "closed";

/**
 * `due`: a pause is over. `taken`/`registered`: how registering for reports went. `granted`/`refused`/`failed`: how asking went; what is told
 * of an older round never gets here. `renewed`: the SM, or what it knows of us, is another. `lost`: the agent is broken.
 */
export type SubscriptionSignal =
  | "due"
  | "taken"
  | "registered"
  | "granted"
  | "refused"
  | "failed"
  | "renewed"
  | "lost"
  | "close";

/** `register`, `ask`: do it. `pause`: come back after a growing pause; `rest`: after a long one. */
export type SubscriptionAction = "none" | "register" | "ask" | "pause" | "rest";

interface Row {
  readonly next: SubscriptionPhase;
  readonly action: SubscriptionAction;
}

const to = (next: SubscriptionPhase, action: SubscriptionAction = "none"): Row => ({ next, action });

function rows(
  phase: SubscriptionPhase,
  some: Partial<Record<SubscriptionSignal, Row>>,
): Record<SubscriptionSignal, Row> {
  const stay = to(phase);
  return {
    due: stay,
    taken: stay,
    registered: stay,
    granted: stay,
    refused: stay,
    failed: stay,
    renewed: stay,
    lost: to("unregistered", "pause"),
    close: to("closed"),
    ...some,
  };
}

/** Phase × signal. */
export const SUBSCRIPTION_TABLE: Readonly<Record<SubscriptionPhase, Readonly<Record<SubscriptionSignal, Row>>>> = {
  unregistered: rows("unregistered", {
    due: to("unregistered", "register"),
    registered: to("asking", "ask"),
    taken: to("unregistered", "pause"),
    // Nothing to lose, and a pause is under way.
    lost: to("unregistered"),
  }),
  asking: rows("asking", {
    granted: to("subscribed", "rest"),
    // It may be an SA without notices; it may be one that is not ready.
    refused: to("waiting", "pause"),
    failed: to("waiting", "pause"),
    renewed: to("asking", "ask"),
  }),
  waiting: rows("waiting", { due: to("asking", "ask"), renewed: to("asking", "ask") }),
  // An SA may forget a subscriber whose reports got lost: asked again after a long while, it only replaces what it has.
  subscribed: rows("subscribed", { due: to("asking", "ask"), renewed: to("asking", "ask") }),
  closed: rows("closed", { lost: to("closed") }),
};

/** One step; pure. */
export function stepSubscription(phase: SubscriptionPhase, signal: SubscriptionSignal): Row {
  return SUBSCRIPTION_TABLE[phase][signal];
}

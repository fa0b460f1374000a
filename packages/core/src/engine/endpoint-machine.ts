import type { SessionState } from "../sdk/provider.js";

/**
 * Where an endpoint is in its life. `opening`: providers are still being opened on it, none is ready. `early`: one is ready, others are still
 * being opened. `joining`, `ready`, `failed`: every provider has answered. `closed`: for good.
 */
export type EndpointPhase = "opening" | "early" | "joining" | "ready" | "failed" | "closed";

/** What its sessions say together: the best of them counts. `none`: there is no session. */
export type SessionsSight = "none" | "joining" | "ready" | "failed";

/** `sessions`: one has come, or another state. `opened`: every provider has answered, one way or the other. `close`: the port is let go. */
export type EndpointSignal = "sessions" | "opened" | "close";

/** `settle`: who waits for the opening goes on. `tell`: so it does, and the endpoint has another {@link SessionState} than before. */
export type EndpointAction = "none" | "settle" | "tell";

interface Row {
  readonly next: EndpointPhase;
  readonly action: EndpointAction;
}

type Rows = Readonly<Record<EndpointSignal, Row>>;

const to = (next: EndpointPhase, action: EndpointAction = "none"): Row => ({ next, action });

const rows = (sessions: Row, opened: Row): Rows => ({ sessions, opened, close: to("closed", "settle") });

/** Once every provider has answered, the sight alone decides. */
const settled = (row: Row): Rows => rows(row, row);

/** Phase × sight × signal. Ready as soon as one provider is; without providers the files and the own addresses are all there is. */
export const ENDPOINT_TABLE: Readonly<Record<EndpointPhase, Readonly<Record<SessionsSight, Rows>>>> = {
  opening: {
    none: rows(to("opening"), to("ready", "tell")),
    joining: rows(to("opening"), to("joining", "settle")),
    ready: rows(to("early", "tell"), to("ready", "tell")),
    // Another provider may still come.
    failed: rows(to("opening"), to("failed", "tell")),
  },
  early: {
    none: rows(to("opening", "tell"), to("ready")),
    joining: rows(to("opening", "tell"), to("joining", "tell")),
    ready: rows(to("early"), to("ready")),
    failed: rows(to("opening", "tell"), to("failed", "tell")),
  },
  joining: {
    none: settled(to("ready", "tell")),
    joining: settled(to("joining")),
    ready: settled(to("ready", "tell")),
    failed: settled(to("failed", "tell")),
  },
  ready: {
    none: settled(to("ready")),
    joining: settled(to("joining", "tell")),
    ready: settled(to("ready")),
    failed: settled(to("failed", "tell")),
  },
  failed: {
    none: settled(to("ready", "tell")),
    joining: settled(to("joining", "tell")),
    ready: settled(to("ready", "tell")),
    failed: settled(to("failed")),
  },
  closed: {
    none: closedRows(),
    joining: closedRows(),
    ready: closedRows(),
    failed: closedRows(),
  },
};

function closedRows(): Rows {
  return { sessions: to("closed"), opened: to("closed"), close: to("closed") };
}

/** What others are told of a phase. */
export const ENDPOINT_STATE: Readonly<Record<EndpointPhase, SessionState>> = {
  opening: "joining",
  early: "ready",
  joining: "joining",
  ready: "ready",
  failed: "failed",
  closed: "failed",
};

/** One step of an endpoint's life; pure. */
export function stepEndpoint(phase: EndpointPhase, sight: SessionsSight, signal: EndpointSignal): Row {
  return ENDPOINT_TABLE[phase][sight][signal];
}

/** Sums up the states of an endpoint's sessions. */
export function sightOf(states: readonly SessionState[]): SessionsSight {
  if (states.length === 0) return "none";
  if (states.includes("ready")) return "ready";
  return states.includes("joining") ? "joining" : "failed";
}

/** Whether a provider may still be opened on it. */
export function isOpening(phase: EndpointPhase): boolean {
  return phase === "opening" || phase === "early";
}

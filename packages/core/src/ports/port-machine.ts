import type { PortSignalType } from "./port-source.js";

/** What is known of a port. `down` also stands for a port that is gone. */
export type PortPhase = "down" | "active";

/**
 * What a fresh reading says, compared with the snapshot in use. `moved`: active, but LID, GIDs, partitions or speed are others.
 * `sm-moved`: the same port, another SM. `same`: nothing has changed.
 */
export type PortSight = "inactive" | "moved" | "sm-moved" | "same";

/**
 * What follows. `open`/`close`: endpoints come or go. `reopen`: both. `announce`: the endpoints stay, what was learnt through them is
 * forgotten, providers are told. `tell`: providers are told, nothing is forgotten.
 */
export type PortAction = "none" | "open" | "close" | "reopen" | "announce" | "tell";

interface Row {
  readonly next: PortPhase;
  readonly action: PortAction;
}

type Rows = Readonly<Record<PortSignalType, Row>>;

const to = (next: PortPhase, action: PortAction): Row => ({ next, action });

function always(row: Row): Rows {
  return {
    "port-active": row,
    "port-err": row,
    "lid-change": row,
    "gid-change": row,
    "pkey-change": row,
    "sm-change": row,
    "client-reregister": row,
    refresh: row,
    unknown: row,
  };
}

/**
 * Phase × sight × signal. The reading decides; the signal only matters where the reading shows nothing: a port that went down and
 * came back between two readings has still lost everything.
 */
export const PORT_TABLE: Readonly<Record<PortPhase, Readonly<Record<PortSight, Rows>>>> = {
  down: {
    inactive: always(to("down", "none")),
    // A reregister before the port is active needs no memory: opening makes everything new, which is all that it asks for.
    moved: always(to("active", "open")),
    "sm-moved": always(to("active", "open")),
    same: always(to("active", "open")),
  },
  active: {
    inactive: always(to("down", "close")),
    moved: always(to("active", "reopen")),
    "sm-moved": { ...always(to("active", "announce")), "port-err": to("active", "reopen") },
    same: {
      "port-active": to("active", "none"),
      "port-err": to("active", "reopen"),
      "lid-change": to("active", "announce"),
      "gid-change": to("active", "announce"),
      "pkey-change": to("active", "announce"),
      "sm-change": to("active", "announce"),
      "client-reregister": to("active", "announce"),
      refresh: to("active", "none"),
      unknown: to("active", "tell"),
    },
  },
};

/** One step of a port's life; pure. */
export function stepPort(phase: PortPhase, sight: PortSight, signal: PortSignalType): Row {
  return PORT_TABLE[phase][sight][signal];
}

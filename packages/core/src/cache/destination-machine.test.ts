import {
  DESTINATION_TABLE,
  type DestinationPhase,
  type DestinationSight,
  type LookupSignal,
  lookupSignal,
  stepLookup,
  stepWant,
  type WantSignal,
} from "./destination-machine.js";

const PHASES = Object.keys(DESTINATION_TABLE) as DestinationPhase[];
const SIGHTS = Object.keys(DESTINATION_TABLE.unknown) as DestinationSight[];
const WANTS: readonly WantSignal[] = ["request", "glance"];
const ENDINGS: readonly LookupSignal[] = ["found", "failed", "denied", "undecided", "past", "left"];

/** What somebody gets who wants to know: phase, sight, signal, next phase, action. */
const WANTED: readonly [DestinationPhase, DestinationSight, WantSignal, DestinationPhase, string][] = [
  ["unknown", "idle", "request", "unknown", "join"],
  ["unknown", "idle", "glance", "unknown", "not-yet"],
  ["unknown", "asked", "request", "unknown", "join"],
  ["unknown", "asked", "glance", "unknown", "not-yet"],
  ["unknown", "bound", "request", "unknown", "join"],
  ["unknown", "bound", "glance", "unknown", "not-yet"],
  ["known", "idle", "request", "known", "serve"],
  ["known", "idle", "glance", "known", "serve"],
  ["known", "asked", "request", "known", "serve"],
  ["known", "asked", "glance", "known", "serve"],
  ["known", "bound", "request", "known", "serve"],
  ["known", "bound", "glance", "known", "serve"],
  ["due", "idle", "request", "known", "refresh"],
  ["due", "idle", "glance", "known", "refresh"],
  ["due", "asked", "request", "due", "serve"],
  ["due", "asked", "glance", "due", "serve"],
  ["due", "bound", "request", "due", "serve"],
  ["due", "bound", "glance", "due", "serve"],
  ["kept", "idle", "request", "kept", "refresh"],
  ["kept", "idle", "glance", "kept", "refresh"],
  ["kept", "asked", "request", "kept", "serve"],
  ["kept", "asked", "glance", "kept", "serve"],
  ["kept", "bound", "request", "kept", "serve"],
  ["kept", "bound", "glance", "kept", "serve"],
  ["failed", "idle", "request", "failed", "refuse"],
  ["failed", "idle", "glance", "failed", "no-data"],
  ["failed", "asked", "request", "failed", "refuse"],
  ["failed", "asked", "glance", "failed", "no-data"],
  ["failed", "bound", "request", "failed", "refuse"],
  ["failed", "bound", "glance", "failed", "no-data"],
];

/** What becomes of a lookup: phase, signal, next phase, action; the same whether another lookup is under way or not. */
const ENDED: readonly [DestinationPhase, LookupSignal, DestinationPhase, string][] = [
  ["unknown", "found", "known", "keep"],
  ["unknown", "failed", "failed", "remember"],
  ["unknown", "denied", "failed", "remember"],
  ["unknown", "undecided", "unknown", "report"],
  ["unknown", "past", "unknown", "restart"],
  ["unknown", "left", "unknown", "leave"],
  ["known", "found", "known", "keep"],
  ["known", "failed", "known", "report"],
  ["known", "denied", "known", "report"],
  ["known", "undecided", "known", "report"],
  ["known", "past", "known", "restart"],
  ["known", "left", "known", "leave"],
  ["due", "found", "known", "keep"],
  ["due", "failed", "due", "report"],
  ["due", "denied", "due", "report"],
  ["due", "undecided", "due", "report"],
  ["due", "past", "due", "restart"],
  ["due", "left", "due", "leave"],
  ["kept", "found", "known", "keep"],
  ["kept", "failed", "kept", "report"],
  ["kept", "denied", "failed", "remember"],
  ["kept", "undecided", "kept", "report"],
  ["kept", "past", "kept", "restart"],
  ["kept", "left", "kept", "leave"],
  ["failed", "found", "known", "keep"],
  ["failed", "failed", "failed", "remember"],
  ["failed", "denied", "failed", "remember"],
  ["failed", "undecided", "failed", "report"],
  ["failed", "past", "failed", "restart"],
  ["failed", "left", "failed", "leave"],
];

describe("destination state machine", () => {
  it.each(WANTED)("%s and %s, on %s: %s, %s", (phase, sight, signal, next, action) => {
    expect(stepWant(phase, sight, signal)).toEqual({ next, action });
  });

  it.each(ENDED)("%s, when a lookup ends as %s: %s, %s", (phase, signal, next, action) => {
    for (const sight of SIGHTS) expect(stepLookup(phase, sight, signal)).toEqual({ next, action });
  });

  it("is expected in every phase, sight and signal", () => {
    expect(WANTED).toHaveLength(PHASES.length * SIGHTS.length * WANTS.length);
    expect(ENDED).toHaveLength(PHASES.length * ENDINGS.length);
    for (const phase of PHASES) {
      for (const sight of SIGHTS) {
        expect(Object.keys(DESTINATION_TABLE[phase][sight]).sort()).toEqual([...WANTS, ...ENDINGS].sort());
      }
    }
  });

  it("believes nothing that is past, keeps what was found though nobody waits, and remembers only what failed for good", () => {
    const facts = { isFound: false, isPast: false, isLeft: false, isForGood: false, isDenied: false };
    for (const isFound of [true, false]) {
      for (const isLeft of [true, false]) {
        for (const isForGood of [true, false]) {
          expect(lookupSignal({ isFound, isLeft, isForGood, isDenied: isForGood, isPast: true })).toBe("past");
          if (isFound)
            expect(lookupSignal({ isFound, isLeft, isForGood, isDenied: isForGood, isPast: false })).toBe("found");
        }
      }
    }
    expect(lookupSignal({ ...facts, isLeft: true, isForGood: true })).toBe("left");
    expect(lookupSignal({ ...facts, isForGood: true })).toBe("failed");
    expect(lookupSignal({ ...facts, isForGood: true, isDenied: true })).toBe("denied");
    expect(lookupSignal({ ...facts, isDenied: true })).toBe("undecided");
    expect(lookupSignal(facts)).toBe("undecided");
  });
});

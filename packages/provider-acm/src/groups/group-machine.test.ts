import { MEMBER_TABLE, type MemberPhase, type MemberSignal, stepMember } from "./group-machine.js";

const phases = Object.keys(MEMBER_TABLE) as MemberPhase[];

test("who is closed asks no more", () => {
  for (const signal of Object.keys(MEMBER_TABLE.closed) as MemberSignal[]) {
    expect(stepMember("closed", signal)).toEqual({ next: "closed", action: "none" });
  }
});

test.each(phases.filter((phase) => phase !== "closed"))("a renewal asks the SA, also when %s", (phase) => {
  expect(stepMember(phase, "renew").action).toBe("ask");
});

test("only the renewal that is refused loses a membership", () => {
  const losing = phases.flatMap((phase) =>
    (Object.keys(MEMBER_TABLE[phase]) as MemberSignal[])
      .filter((signal) => stepMember(phase, signal).action === "lose")
      .map((signal) => `${phase} ${signal}`),
  );
  expect(losing).toEqual(["renewing refused"]);
});

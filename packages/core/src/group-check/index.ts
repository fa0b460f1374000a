export { type AskContext, askGid } from "./ask-path.js";
export { askBothWays } from "./both-ways.js";
export { expectedGroup, hasLevel } from "./expected-group.js";
export type { BothWays } from "./group-problems.js";
export { groupProblems } from "./group-problems.js";

export { askBothWays } from "./both-ways.js";
export type { BothWays } from "./group-problems.js";
export { groupProblems } from "./group-problems.js";

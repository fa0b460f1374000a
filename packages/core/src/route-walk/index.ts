export type { RouteEnd, RouteHop, RouteWalk } from "./route-walk.js";
export { walkRoute } from "./walk-route.js";

import { groupA } from "./group-a.js";
import { groupB } from "./group-b.js";
import { groupC } from "./group-c.js";
import { groupD } from "./group-d.js";
import { groupF } from "./group-f.js";
import { groupG } from "./group-g.js";
import { groupH } from "./group-h.js";
import { groupL } from "./group-l.js";

/** The tests of sections 7.1 to 7.8, for any back end. */
export const GROUPS = [groupA, groupB, groupC, groupD, groupL, groupF, groupG, groupH];

/** Those of them with tests that need a peer: there it matters which of the two addresses is the smaller one. */
export const GROUPS_WITH_PEER = [groupC, groupF, groupG, groupH];

import type { Gid, Lid, Notice } from "@verbena/ib";

/**
 * What the SA reports of the subnet (IBA 13.4.8.2, 14.2.5.1, 15.2.5.3). `gid-in`, `gid-out` (notices 64, 65): a port came into service or
 * left it; a port that comes back may have another LID. `group-created`, `group-deleted` (66, 67): a multicast group. `local-change`
 * (144): a port has other capabilities, or its node another description. `unknown`: any other notice, as data.
 */
export type SaNotice =
  | { readonly type: "gid-in" | "gid-out"; readonly gid: Gid }
  | { readonly type: "group-created" | "group-deleted"; readonly mgid: Gid }
  | { readonly type: "local-change"; readonly lid: Lid; readonly gid: Gid }
  | { readonly type: "unknown"; readonly raw: Notice };

import { Gid } from "@verbena/ib";
import { endsOf, noticeText } from "../notices/read-notice.js";
import type { SaNotice } from "../sdk/sa-notice.js";
import type { EngineChange } from "./contract.js";
import type { Feed } from "./feed.js";
import type { Forgetting } from "./forgetting.js";
import type { PortRuntime } from "./port-runtime.js";

/**
 * What the core does about notices. A GID that left takes every path to it along. One that came, or a port that has changed, may have another
 * LID and another name: what was known of it is asked for again, and so is what was not found.
 */
export function takeNotices(
  runtime: PortRuntime,
  notices: readonly SaNotice[],
  forgetting: Forgetting,
  feed: Feed<EngineChange>,
): void {
  for (const notice of notices) feed.emit(changeOf(runtime, notice));
  const ends = new Set(notices.flatMap(endsOf));
  if (ends.size === 0) return;
  const hasNew = notices.some(({ type }) => type === "gid-in" || type === "local-change");
  const [first] = notices;
  const more = notices.length > 1 ? `, and ${String(notices.length - 1)} more notices` : "";
  forgetting.ends(runtime.endpoints, ends, hasNew, first === undefined ? "" : noticeText(first) + more);
}

function changeOf({ port: { device, port } }: PortRuntime, notice: SaNotice): EngineChange {
  const change = { type: "notice", device, port, event: notice.type, text: noticeText(notice) } as const;
  switch (notice.type) {
    case "gid-in":
    case "gid-out":
      return { ...change, gid: Gid.format(notice.gid) };
    case "group-created":
    case "group-deleted":
      return { ...change, gid: Gid.format(notice.mgid) };
    case "local-change":
      return { ...change, gid: Gid.format(notice.gid), lid: notice.lid };
    case "unknown":
      return change;
    default:
      return notice satisfies never;
  }
}

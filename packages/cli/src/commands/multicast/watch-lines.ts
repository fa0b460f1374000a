import type { ProviderReportJson } from "@verbena/core/client";
import { formatAge } from "../../output/age.js";

type Report = Exclude<ProviderReportJson, { type: "watching" }>;
type Event = Extract<Report, { type: "event" }>["event"];

/** One line: time of day (UTC), endpoint, direction, what happened. */
export function describeReport(report: Report): string {
  switch (report.type) {
    case "event": {
      const { time, endpoint, event } = report;
      const clock = time.slice(11, 23);
      return `${clock}  ${endpoint}  ${String(event["way"] ?? "").padEnd(3)}  ${describeEvent(event)}\n`;
    }
    case "lagged":
      return `${String(report.dropped)} lines lost: they came faster than they were read\n`;
    case "restarted":
      return `providers opened anew: ${report.reason}\n`;
    default:
      return report satisfies never;
  }
}

function describeEvent(event: Event): string {
  switch (event.type) {
    case "request":
      return [`${text(event, "source")} asks for ${text(event, "wanted")}`, ours(event), ...peer(event)].join("");
    case "announcement":
      return [`${text(event, "source")} announces itself`, ...peer(event)].join("");
    case "response":
      return [`${response(event)}${failed(event)}`, ...peer(event)].join("");
    case "dropped":
      return `dropped: ${text(event, "reason")}`;
    case "duplicate":
      return `two hosts answer for ${text(event, "address")}: ${text(event, "first")}, ${text(event, "second")}`;
    default:
      return unknownEvent(event);
  }
}

function response(event: Event): string {
  if (event["way"] === "out") return "answer to";
  return event["wanted"] === undefined ? "answer nobody waits for, of" : `${text(event, "wanted")} is at`;
}

function failed({ status }: Event): string {
  return status === undefined || status === 0 ? "" : ` (status ${String(status)})`;
}

function ours({ isOurs }: Event): string {
  return isOurs === true ? ", which is here" : "";
}

/** The other end, the group, and how old what was known of it is. */
function peer({ gid, lid, qpn, group, groups, ageMs, way }: Event): readonly string[] {
  const end = lid === undefined ? [] : [`  LID ${String(lid)} QP ${String(qpn)} ${String(gid)}`];
  const chosen = group ?? (way === "out" ? groups : undefined);
  const heard = typeof ageMs === "number" ? `  known for ${formatAge(ageMs)}` : "";
  const of = chosen === undefined ? (way === "in" ? "  no common group" : "") : `  group ${String(chosen)}`;
  return [...end, of, heard];
}

function text(event: Event, name: string): string {
  return String(event[name] ?? "?");
}

/** A newer daemon's: its members as they are. */
function unknownEvent({ type, way: _way, ...members }: Event): string {
  return [type, ...Object.entries(members).map(([name, value]) => `${name}=${String(value)}`)].join(" ");
}

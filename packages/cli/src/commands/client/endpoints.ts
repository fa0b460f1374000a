import type { EndpointJson, GroupJson, LostFunctionJson } from "@verbena/core/client";
import { Guid, PKey } from "@verbena/ib";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { formatAge } from "../../output/age.js";
import { renderTable } from "../../output/table.js";
import { lostText } from "./lost-functions.js";
import { type ServiceOptions, withService } from "./service.js";

/** Rows that both doors can fill; state, LID and GID are known to the control socket only. */
type EndpointRow = Pick<EndpointJson, "nodeGuid" | "port" | "pkey" | "provider" | "addresses"> & Partial<EndpointJson>;

/** Only the control socket tells what is lost. */
interface EndpointsView {
  readonly rows: readonly EndpointRow[];
  readonly degraded?: readonly LostFunctionJson[];
}

/** Lists the local endpoints, and what the daemon cannot do for them. */
export async function endpointsCommand(options: ServiceOptions, io: Io): Promise<ExitCode> {
  const { rows, degraded } = await withService<EndpointsView>(options, async ({ kind, client }) => {
    if (kind === "control") {
      const [{ endpoints }, { degraded = [] }] = await Promise.all([client.endpoints(), client.status()]);
      return { rows: endpoints, degraded };
    }
    const rows = (await client.endpoints()).map((endpoint) => ({
      nodeGuid: Guid.format(endpoint.guid),
      port: endpoint.port,
      pkey: PKey.format(endpoint.pkey),
      provider: endpoint.provider,
      addresses: endpoint.addresses,
    }));
    return { rows };
  });
  const json = { endpoints: rows, ...(degraded === undefined ? {} : { degraded }) };
  io.out(options.json === true ? `${JSON.stringify(json)}\n` : describe(rows) + lostText(degraded));
  return EXIT.OK;
}

function describe(rows: readonly EndpointRow[]): string {
  return table(rows) + groupTable(rows) + duplicateTable(rows);
}

function table(rows: readonly EndpointRow[]): string {
  if (rows.length === 0) return "no endpoint: no active InfiniBand port has a name or address\n";
  return renderTable(
    ["endpoint", "state", "LID", "GID", "provider", "addresses"],
    rows.map((row) => [
      row.key ?? `${row.nodeGuid}/${String(row.port)}/${row.pkey}`,
      row.state ?? "-",
      row.lid === undefined ? "-" : String(row.lid),
      row.gid ?? "-",
      row.provider,
      row.addresses.join(" "),
    ]),
  );
}

/** The multicast groups, least preferred first; nothing where there are none. */
function groupTable(rows: readonly EndpointRow[]): string {
  const groups = rows.flatMap(({ key, groups: own = [] }) => own.map((group) => ({ key, group })));
  if (groups.length === 0) return "";
  const head = ["endpoint", "group", "role", "state", "MLID", "Gb/s", "MTU", "SL", "TClass", "problem"];
  return `\n${renderTable(
    head,
    groups.map(({ key = "-", group }) => [key, ...groupCells(group)]),
  )}`;
}

/** Addresses that two hosts claim; nothing where there are none. */
function duplicateTable(rows: readonly EndpointRow[]): string {
  const found = rows.flatMap(({ key = "-", duplicates = [] }) =>
    duplicates.map(({ address, first, second, ageMs }) => [key, address, first, second, `${formatAge(ageMs)} ago`]),
  );
  if (found.length === 0) return "";
  return `\n${renderTable(["endpoint", "address of two hosts", "used", "also claimed by", "seen"], found)}`;
}

function groupCells({ mgid, role, state, mlid, rate, rateGbps, mtu, mtuBytes, ...more }: GroupJson): readonly string[] {
  return [
    mgid,
    role,
    state,
    mlid === undefined ? "-" : `0x${mlid.toString(16)}`,
    rateGbps === undefined ? `code ${String(rate)}` : String(rateGbps),
    mtuBytes === undefined ? `code ${String(mtu)}` : String(mtuBytes),
    String(more.sl),
    String(more.trafficClass),
    more.problem ?? "",
  ];
}

import { Gid, Guid, Lid, PKey } from "@verbena/ib";
import { describePort } from "../control/describe.js";
import type { FabricPort } from "../fabric/port.js";
import type { LoggedPort } from "./entries.js";

/** A port as the log shows it. */
export function loggedPort(port: FabricPort): LoggedPort {
  const { state, rate } = describePort(port);
  const isEnd = port.isEndPort;
  return {
    end: port.name,
    state,
    lid: isEnd ? port.lid : Lid.zero,
    lmc: port.lmc,
    smLid: port.smLid,
    gids: isEnd ? gidsOf(port) : [],
    pkeys: port.pkeys.map((pkey) => PKey.format(pkey)),
    rate,
  };
}

function gidsOf({ gid, gidPrefix, aliasGuids }: FabricPort): readonly string[] {
  const aliases = aliasGuids.map((guid) => (guid === Guid.zero ? Gid.zero : Gid.of(gidPrefix, guid)));
  return [gid, ...aliases].map((one) => Gid.format(one));
}

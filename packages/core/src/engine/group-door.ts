import {
  type AskContext,
  askBothWays,
  askGid,
  type BothWays,
  expectedGroup,
  groupProblems,
  hasLevel,
} from "../group-check/index.js";
import type { Destination } from "../sdk/destination.js";
import type { SaService } from "../sdk/services.js";
import { addressQuestion } from "./address-question.js";
import type { Calls } from "./calls.js";
import type { ClientBook } from "./client-book.js";
import type { GroupCheck, ResolveRequest } from "./contract.js";
import { destinationKey } from "./destination-key.js";
import { type EndpointSelector, noEndpoint } from "./endpoint-selector.js";
import type { HostEndpoints } from "./host-endpoints.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { EngineSettings } from "./options.js";
import type { Pipeline } from "./pipeline.js";
import { type Call, noData } from "./request-call.js";
import type { RequestLoop } from "./request-loop.js";
import { passThroughError } from "./sa-pass-through.js";

export interface GroupDoorOptions {
  readonly settings: EngineSettings;
  readonly calls: Calls;
  readonly clients: ClientBook;
  readonly host: HostEndpoints;
  readonly selector: EndpointSelector;
  readonly pipeline: Pipeline;
  readonly loop: RequestLoop;
}

/** Compares the paths that multicast groups would give with those of the SA. */
export class GroupDoor {
  constructor(private readonly options: GroupDoorOptions) {}

  async check(request: ResolveRequest): Promise<GroupCheck> {
    const { calls, clients, loop, selector } = this.options;
    const { destination } = request;
    const call = { ...calls.make(destination.text, request), counts: false };
    const usage = clients.request(request.client, call.requestId, call.startedAt);
    const run = loop.start(call, async () => {
      const { endpoint } = await selector.select(request, call);
      return { endpoint, work: (of: Call) => this.#compare(endpoint, destination, of) };
    });
    try {
      return await run.run();
    } catch (error) {
      usage.errors += 1;
      throw passThroughError(error);
    }
  }

  async #compare(endpoint: LocalEndpoint, to: Destination, call: Call): Promise<GroupCheck> {
    const { host, settings } = this.options;
    const runtime = host.runtimeOf(endpoint.identity);
    if (runtime === undefined) throw noEndpoint("the port has gone");
    const { pkey } = endpoint.endpoint;
    const { requestId, signal } = call;
    const context = { requestId, deadlineMs: settings.deadlineMs, ...(signal === undefined ? {} : { signal }) };
    const { gid, group: shared } = await this.#find(endpoint, to, call, runtime.sa, context);
    const pair = { sgid: endpoint.gid, dgid: gid, pkey, destination: to.text };
    const ways = await askBothWays(runtime.sa, pair, context);
    // The SA may name one of several levels: whether it also allows the group's is asked. If it does not, the paths that it gave tell which is right.
    const askLevel = async (sl: number): Promise<BothWays> => {
      if (ways.forward === undefined || ways.reverse === undefined || hasLevel(ways, sl)) return ways;
      const levelled = await askBothWays(runtime.sa, { ...pair, sl }, context);
      return hasLevel(levelled, sl) ? levelled : ways;
    };
    const joined = endpoint.status(settings.providerLabel).groups.filter(({ state }) => state === "joined");
    const judged = expectedGroup(joined, shared, ways);
    const judgedWays = judged === undefined ? ways : await askLevel(judged.sl);
    return {
      destination: to.text,
      endpoint: endpoint.identity,
      gid,
      ...(ways.forward === undefined ? {} : { forward: ways.forward }),
      ...(ways.reverse === undefined ? {} : { reverse: ways.reverse }),
      ...(judged === undefined ? {} : { group: judged.mgid }),
      groups: joined.map((group) => {
        const { mgid, role } = group;
        return { mgid, role, problems: groupProblems(group, pkey, group === judged ? judgedWays : ways) };
      }),
    };
  }

  /** The address step alone; whose a LID is the SA tells. A path made of a group goes to a GID: who has none that is known cannot be checked. */
  async #find(
    endpoint: LocalEndpoint,
    to: Destination,
    call: Call,
    sa: SaService,
    context: AskContext,
  ): Promise<Found> {
    if (to.kind === "gid") return { gid: to.gid };
    const key = destinationKey(to);
    if (endpoint.address(key) !== undefined) return { gid: endpoint.gid };
    const { settings, pipeline } = this.options;
    if (to.kind === "lid") {
      const ends = { sgid: endpoint.gid, slid: endpoint.baseLid, dlid: to.lid, pkey: endpoint.endpoint.pkey };
      const gid = await askGid(sa, ends, to.text, context);
      if (gid === undefined) throw noData(to.text);
      return { gid };
    }
    const { entry } = await pipeline.addresses.find(addressQuestion(settings, endpoint, to, key), call);
    const { gid = entry.value.answer.path?.dgid, group } = entry.value.answer;
    if (gid === undefined) throw noData(to.text);
    return { gid, ...(group === undefined ? {} : { group }) };
  }
}

/** Where a destination is, and the group that it has said both are in. */
type Found = Pick<GroupCheck, "gid" | "group">;

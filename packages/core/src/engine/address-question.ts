import type { Gid, Lid } from "@verbena/ib";
import type { Destination } from "../sdk/destination.js";
import type { ResolveContext } from "../sdk/provider.js";
import type { AddressAnswer } from "../sdk/route.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { EngineSettings } from "./options.js";
import type { Question } from "./question.js";
import { whenReady } from "./when-ready.js";

/** What the address cache keeps. */
export interface AddressValue {
  readonly answer: AddressAnswer;
  /** Key of the plain route behind it, made at first use: the fast path must not build it each time. */
  routeKey: string | undefined;
}

/** Asks for the GID or LID behind a destination. */
export function addressQuestion(
  settings: EngineSettings,
  endpoint: LocalEndpoint,
  destination: Destination,
  destinationKey: string,
): Question<AddressAnswer, AddressValue> {
  return {
    key: endpoint.prefix + destinationKey,
    endpoint,
    subject: destination,
    latest: Number.POSITIVE_INFINITY,
    links: () =>
      settings.chains.address.flatMap((provider) => {
        const session = endpoint.session(provider);
        const address = session?.state === "failed" ? undefined : session?.address;
        if (session === undefined || address === undefined) return [];
        const ask = async (context: ResolveContext): Promise<AddressAnswer | undefined> =>
          (await whenReady(session, context.signal)) ? address.resolveAddress(destination, context) : undefined;
        return [{ provider, ask }];
      }),
    isAwaiting: () => endpoint.isAwaiting(settings.chains.address),
    fromFile: () => {
      const gid = endpoint.files?.address(destinationKey);
      if (gid === undefined || endpoint.files === undefined) return undefined;
      return {
        value: { answer: { gid }, routeKey: undefined },
        expiresAt: endpoint.files.loadedAt + settings.addressTtlMs,
      };
    },
    keep: (answer) => ({ answer, routeKey: undefined }),
    ends: addressEnds,
    check: checkAddress,
  };
}

/** GIDs and LIDs that an address leads to. */
export function addressEnds({ answer }: AddressValue): readonly (Gid | Lid)[] {
  const { gid, lid, path } = answer;
  return [gid, lid, path?.dgid, path?.dlid].filter((end) => end !== undefined);
}

/** What came from a provider is checked as data: its author's compiler may not have seen our types. */
function checkAddress(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null) return "the address answer is no object";
  const { gid, lid, path, group } = answer as Partial<Record<keyof AddressAnswer, unknown>>;
  if (gid === undefined && lid === undefined && path === undefined)
    return "the address answer has neither gid, lid nor path";
  if (gid !== undefined && typeof gid !== "bigint") return "gid of the address answer is no Gid";
  if (lid !== undefined && typeof lid !== "number") return "lid of the address answer is no Lid";
  if (group !== undefined && typeof group !== "bigint") return "group of the address answer is no Gid";
  if (path !== undefined && (typeof path !== "object" || path === null))
    return "path of the address answer is no PathRecord";
  return undefined;
}

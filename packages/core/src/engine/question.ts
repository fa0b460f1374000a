import type { Gid, Lid } from "@verbena/ib";
import type { Destination } from "../sdk/destination.js";
import type { ResolveContext } from "../sdk/provider.js";
import type { LocalEndpoint } from "./local-endpoint.js";

/** What a step looks up: one key under one endpoint. */
export interface Question<A, V extends object> {
  readonly key: string;
  readonly endpoint: LocalEndpoint;
  readonly subject: Destination;
  /** Providers to ask, in order, with what each does. */
  links(): readonly { readonly provider: string; readonly ask: (context: ResolveContext) => Promise<A | undefined> }[];
  /** Whether a provider of the chain is not there yet: what the others do not know it may know in a moment. */
  isAwaiting(): boolean;
  /** What the files say; they are looked at before anyone is asked. */
  fromFile(): { readonly value: V; readonly expiresAt: number } | undefined;
  /** What is kept of an answer. */
  keep(answer: A): V;
  /** GIDs and LIDs that an answer leads to. */
  ends(value: V): readonly (Gid | Lid)[];
  /** What is wrong with an answer's shape. */
  readonly check: (answer: A) => string | undefined;
  /** No entry of this question may live longer than that; `Infinity` = no such limit. */
  readonly latest: number;
}

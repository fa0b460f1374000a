/**
 * Something a provider has done or seen, for who watches it at work: a packet, an answer, a loss. Nothing but texts, numbers and flags; GIDs, GUIDs and
 * P_Keys as text. Readers pass over types and members they do not know.
 */
export type ProviderEvent = { readonly type: string } & Readonly<Record<string, string | number | boolean>>;

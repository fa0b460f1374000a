/** A key path inside the document. */
export type KeyPath = readonly (string | number)[];

/** `caches.address.ttlMs`, `providers[0].package`. */
export function formatPath(path: KeyPath): string {
  return path.reduce<string>(
    (whole, part) =>
      typeof part === "number" ? `${whole}[${String(part)}]` : whole === "" ? part : `${whole}.${part}`,
    "",
  );
}

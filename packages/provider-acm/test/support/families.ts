/** An IP family, with addresses that documents use. What a test says of one holds for the other: tests of IP addresses run over both. */
export interface Family {
  readonly family: "IPv4" | "IPv6";
  readonly prefixLength: number;
  /** Address of the host with this number, 1 to 254. */
  readonly host: (n: number) => string;
  /** The same in another network. */
  readonly other: (n: number) => string;
}

export const FAMILIES: readonly Family[] = [
  {
    family: "IPv4",
    prefixLength: 24,
    host: (n) => `192.0.2.${String(n)}`,
    other: (n) => `198.51.100.${String(n)}`,
  },
  {
    family: "IPv6",
    prefixLength: 64,
    host: (n) => `2001:db8::${n.toString(16)}`,
    other: (n) => `2001:db8:1::${n.toString(16)}`,
  },
];

/** Lines of an addresses file: each of these hosts with its address of each family. */
export function addressLines(hosts: readonly number[]): readonly string[] {
  return hosts.flatMap((n) =>
    FAMILIES.map(({ host, prefixLength }) => `H${String(n)} ${host(n)}/${String(prefixLength)}`),
  );
}

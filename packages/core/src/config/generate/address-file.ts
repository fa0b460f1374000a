/** What the default address file is made of. */
export interface AddressFileInput {
  /** Full host name; the part before the first dot is used. */
  readonly hostname: string;
  /** In the order of the device list. */
  readonly devices: readonly {
    readonly name: string;
    readonly ports: readonly { readonly port: number; readonly active: boolean }[];
  }[];
}

const HEADER = `# Names of the local endpoints.
#
# One line per name: address, device, port and P_Key. The P_Key "default" is
# entry 0 of the port's table; others are hexadecimal. A line that begins with
# # is a comment. IP addresses are found on the interfaces by the daemon and
# need no line here.
#
# address device port pkey
`;

/**
 * Text of the default address file: `NAME-n` on every port of every device, counting from 1, and the short host name on the first
 * active port, in front of that port's own line. Active lines and their order are those of `ib_acme -A`.
 */
export function generateAddressFile({ hostname, devices }: AddressFileInput): string {
  const host = hostname.split(".")[0] ?? hostname;
  const ports = devices.flatMap(({ name, ports }) => ports.map(({ port, active }) => ({ device: name, port, active })));
  const first = ports.find(({ active }) => active);
  const lines = ports.flatMap((entry, index) => {
    const where = `${entry.device} ${String(entry.port)} default`;
    const own = `${host}-${String(index + 1)} ${where}`;
    return entry === first ? [`${host} ${where}`, own] : [own];
  });
  return HEADER + lines.map((line) => `${line}\n`).join("");
}

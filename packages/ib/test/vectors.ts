import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One case of `ib_acme` or librdmacm. */
export interface ClientVector {
  readonly kind: "requests" | "replies" | "librdmacm";
  readonly id: string;
  readonly argv: readonly string[];
  readonly requests: readonly string[];
  readonly replies: readonly string[];
  readonly unstable: boolean;
}

/** One case of the daemon. */
export interface DaemonVector {
  readonly id: string;
  readonly requests: readonly string[];
  readonly replies: readonly string[];
  readonly closed: boolean;
}

/** One fabric MAD. */
export interface FabricVector {
  readonly id: string;
  readonly bytes: number;
  readonly method?: string;
  readonly attr?: string;
  readonly comp_mask?: string;
}

/** One netlink exchange. */
export interface NetlinkVector {
  readonly id: string;
  readonly req_len: number;
  readonly reply_len: number | null;
}

interface Index {
  readonly acme: readonly ClientVector[];
  readonly daemon: readonly DaemonVector[];
  readonly fabric: readonly FabricVector[];
  readonly netlink: readonly NetlinkVector[];
}

const root = join(__dirname, "vectors");

/** The index of all recorded vectors. */
export const index = JSON.parse(readFileSync(join(root, "index.json"), "utf8")) as Index;

/** Bytes of one `.hex` file. */
export function vector(folder: string, file: string): Buffer {
  return Buffer.from(readFileSync(join(root, folder, file), "utf8").trim(), "hex");
}

/** A vector by hand: hexadecimal with spaces, and `00*N` for N zero bytes. */
export function hex(text: string): Buffer {
  const flat = text.replace(/([0-9a-f]{2})\*(\d+)/g, (_, byte: string, count: string) => byte.repeat(Number(count)));
  return Buffer.from(flat.replaceAll(/\s/g, ""), "hex");
}

import { closeSync, openSync, writeSync } from "node:fs";
import { Gid, Guid, Mtu, Rate } from "@verbena/ib";

/** Sizes of a cluster's preload files. */
export interface PreloadSizes {
  /** Ports, each with a LID from 1 on and a block of its own in the dump. */
  readonly ports: number;
  /** Lines of paths in the dump: to all ports from one, to equally many from each of the others. */
  readonly paths: number;
  /** Lines of the hosts file. */
  readonly hosts: number;
}

/** The port whose block has all destinations. */
export interface OwnPort {
  readonly lid: number;
  readonly guid: Guid;
}

const FIRST_GUID = 0x2_c903_0000_0000n;
const MTUS = [Mtu.MTU_2048, Mtu.MTU_4096];
/** 10, 40 and 100 Gb/s. */
const RATES = [Rate.from(3), Rate.from(7), Rate.from(16)];
/** So many hosts, or own paths, from one line that cannot be read to the next, and so many ports from one out of reach to the next. */
const BAD_LINE_EVERY = 5_000;
const BAD_PATH_EVERY = 50;
const UNREACHABLE_EVERY = 97;
const COLUMNS = "# LID  : SL : MTU : RATE\n";

const hex = (value: number | bigint, digits: number): string => `0x${value.toString(16).padStart(digits, "0")}`;
const pick = <T>(items: readonly T[], index: number): T => items[index % items.length] as T;

/** What OpenSM's dump and the hosts file of a cluster say; every number follows from the line's. */
export class PreloadCluster {
  constructor(
    readonly sizes: PreloadSizes,
    private readonly own: OwnPort,
  ) {}

  gid(lid: number): Gid {
    return Gid.of(Gid.linkLocalPrefix, this.#guid(lid));
  }

  /** Path from our port. */
  path(lid: number) {
    return { dlid: lid, sl: lid % 16, mtu: pick(MTUS, lid), rate: pick(RATES, lid) };
  }

  isReachable(lid: number): boolean {
    return lid === this.own.lid || lid % UNREACHABLE_EVERY !== 0;
  }

  /** Address and LID of a line of the hosts file, counted from 1; `undefined` of one that cannot be read. */
  host(line: number): { readonly address: string; readonly lid: number } | undefined {
    if (line % BAD_LINE_EVERY === 0) return undefined;
    const forms = [
      `host-${line}`,
      `10.${line >> 16}.${(line >> 8) & 255}.${line & 255}`,
      `2001:db8::${line.toString(16)}`,
    ];
    return { address: pick(forms, line), lid: (line % this.sizes.ports) + 1 };
  }

  /** Lines that cannot be read. */
  get badLines(): readonly number[] {
    return Array.from({ length: Math.floor(this.sizes.hosts / BAD_LINE_EVERY) }, (_, n) => (n + 1) * BAD_LINE_EVERY);
  }

  writeHosts(file: string, more: readonly string[] = []): void {
    const handle = openSync(file, "w");
    for (let line = 1; line <= this.sizes.hosts; line++) {
      const host = this.host(line);
      writeSync(handle, host === undefined ? `host-${line}\n` : `${host.address} ${Gid.format(this.gid(host.lid))}\n`);
    }
    writeSync(handle, more.map((line) => `${line}\n`).join(""));
    closeSync(handle);
  }

  /**
   * Gives the number of lines of paths, and the numbers of lines that cannot be read: the header of a port that is none at the end of the file, then
   * those among the own paths.
   */
  writeDump(file: string): { readonly count: number; readonly badLines: readonly number[] } {
    const { ports, paths } = this.sizes;
    const others = Math.max(1, Math.floor((paths - ports) / Math.max(1, ports - 1)));
    const handle = openSync(file, "w");
    const badLines: number[] = [];
    let [count, number] = [0, 0];
    const write = (line: string): void => {
      writeSync(handle, line);
      number += 1;
    };
    for (let lid = 1; lid <= ports; lid++) {
      const reach = lid === this.own.lid ? ports : Math.min(others, ports);
      const header = `Channel Adapter ${hex(this.#guid(lid), 16)}, base LID ${lid}, "host-${lid} HCA-1", port 1\n`;
      const lines = Array.from({ length: reach }, (_, n) => this.#line(n + 1));
      if (lid !== this.own.lid) {
        writeSync(handle, `${header}${COLUMNS}${lines.join("")}\n`);
        number += reach + 3;
      } else {
        write(header);
        write(COLUMNS);
        for (const [n, line] of lines.entries()) {
          write(line);
          if ((n + 1) % BAD_PATH_EVERY !== 0) continue;
          write(`${hex(n + 1, 4)} ; 0\n`);
          badLines.push(number);
        }
        write("\n");
      }
      count += reach;
    }
    write("Channel Adapter without a port\n");
    closeSync(handle);
    return { count, badLines: [number, ...badLines] };
  }

  #line(dlid: number): string {
    if (!this.isReachable(dlid)) return `${hex(dlid, 4)} : UNREACHABLE\n`;
    const { sl, mtu, rate } = this.path(dlid);
    return `${hex(dlid, 4)} : ${String(sl).padEnd(2)} : ${String(mtu).padEnd(3)} : ${String(rate).padEnd(4)}\n`;
  }

  #guid(lid: number): Guid {
    return lid === this.own.lid ? this.own.guid : Guid.from(FIRST_GUID + BigInt(lid));
  }
}
